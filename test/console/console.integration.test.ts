import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DependencyState, Readiness } from '../../src/console/readiness.ts';
import { streams } from '../../src/streams/index.ts';
import { syncSnapshot } from '../../src/sync/directory/sync-stream.ts';
import { fillHistory } from '../../src/sync/history/fill-history.ts';
import { pollCurrent } from '../../src/sync/polls/poll-current.ts';
import { findMarkers } from '../support/markers.ts';
import { makeProject } from '../support/program/plantsync.ts';
import { runCommand } from '../support/program/run-command.ts';
import { openSimulator } from '../support/program/simulated-project.ts';
import { freePort } from '../support/servers/process.ts';
import {
  startInflux,
  startPostgres,
  type TestPostgres,
  type TestServer,
} from '../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../support/stream-switches.ts';
import { openMeteredPlant } from './metered-plant.ts';

let postgres: TestPostgres;
let influx: TestServer;
beforeAll(async () => {
  [postgres, influx] = await Promise.all([startPostgres(), startInflux()]);
  await Promise.all([postgres.stop(), influx.stop()]);
});
afterAll(() => Promise.all([postgres.close(), influx.close()]));

const secret = 'SECRET+canary/01=';
const influxPassword = 'TScanary#1';

/** Starts a service on a simulated platform, without Postgres and InfluxDB. */
async function startService() {
  const simulator = await openSimulator({ secret, size: { objects: 0, persons: 1 } });
  simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: [] }] });
  const { options } = postgres;
  const port = await freePort();
  const project = makeProject({
    platform: { baseUrl: simulator.baseUrl, appId: simulator.appId, secret, retries: 0 },
    postgres: { url: options.url, password: options.password },
    influx: { url: influx.url, version: 1, database: 'plant', username: 'u', password: influxPassword },
    streams: onlyStreams(),
    alarms: noAlarms,
    runtime: [{ objects: 'pump1', properties: 'temp', current: { every: '1s' }, history: false }],
    console: { port },
  });
  const service = project.start(['run']);
  const answers: string[] = [];
  const ask = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    const text = await reply.text();
    answers.push(text);
    return { status: reply.status, text };
  };
  /** Waits until the readiness is as expected. Resolves to the readiness. */
  const becomes = async (status: number, isSo: (found: Readiness) => boolean = () => true) => {
    for (;;) {
      const reply = await ask('/readyz');
      const found = JSON.parse(reply.text) as Readiness;
      if (reply.status === status && isSo(found)) return found;
      await sleep(100);
    }
  };
  await service.printed(/the console answers/);
  return { ...project, service, simulator, ask, becomes, answers };
}

const is = (found: Readiness, name: string, state: DependencyState) =>
  found.dependencies[name]?.state === state;
const isDown = (name: string) => (found: Readiness) => is(found, name, 'down');

describe('the console of the service', () => {
  it('tells from the beginning what the service waits for, turns with it both ways, and tells no secret', async () => {
    const { service, simulator, ask, becomes, answers, folder } = await startService();
    expect((await ask('/healthz')).status).toBe(200);
    const starting = await becomes(503, (found) => isDown('postgres')(found) && isDown('influx')(found));
    expect(starting.reason).toMatch(/cannot start yet: PostgreSQL .*; postgres is away; platform is awaited/);
    expect(starting.dependencies).toMatchObject({
      postgres: { holdsUp: true, reason: expect.stringMatching(/PostgreSQL at .* cannot be reached/) },
      platform: {
        state: 'unknown',
        holdsUp: true,
        reason: 'the platform is asked when the service runs, which waits for PostgreSQL',
      },
      influx: { holdsUp: true, reason: expect.stringMatching(/InfluxDB "plant" at .* cannot be reached/) },
    });
    expect((await runCommand(folder, ['health'])).code).toBe(0);
    expect(await runCommand(folder, ['health', '--ready'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('postgres is away'),
    });

    await postgres.start();
    expect(
      await becomes(503, (found) => is(found, 'postgres', 'up') && is(found, 'platform', 'up')),
    ).toMatchObject({
      reason: 'influx is away',
      dependencies: { postgres: { state: 'up', holdsUp: false } },
    });
    await influx.start();
    await becomes(200);

    await influx.stop();
    simulator.setFaults([{ kind: 'status', status: 503, message: `no ${secret}` }]);
    expect(await becomes(503, isDown('influx'))).toMatchObject({
      reason: 'platform is away',
      dependencies: { influx: { holdsUp: false } },
    });
    await postgres.stop();
    await becomes(503, isDown('postgres'));
    expect((await ask('/metrics')).text).toMatch(/^plantsync_dependency_up\{dependency="postgres"\} 0$/m);
    simulator.setFaults([]);
    await postgres.start();
    await becomes(200, isDown('influx'));

    const { text } = await ask('/metrics');
    expect(text).toMatch(/^plantsync_ready 1$/m);
    expect(text).toMatch(
      /^plantsync_platform_requests_total\{operation="readCurrent",outcome="unavailable"\} [1-9]/m,
    );
    expect(text).toMatch(/^plantsync_build_info\{version="\d+\.\d+\.\d+",node="[\d.]+"\} 1$/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    const markers = [secret, influxPassword, postgres.options.password ?? ''];
    expect(findMarkers(answers.join('\n'), markers)).toEqual([]);
    service.process.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('ends the service with a sentence that names the option if its port is taken', async () => {
    const taken = await openSimulator({ size: { objects: 0, persons: 0 } });
    const { port } = new URL(taken.baseUrl);
    const platform = { baseUrl: 'http://127.0.0.1:9', appId: 'a', secret };
    const { folder } = makeProject({ platform, console: { port } });
    expect(await runCommand(folder, ['run'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`console.port ${port} of 127.0.0.1 .*another process listens`),
      ),
    });
  });
});

describe('the metrics', () => {
  it('are what the platform served, what the stores hold and what the ledger knows', async () => {
    const { ctx, simulator, databases, scrape, pass } = await openMeteredPlant();
    const persons = streams.find(({ name }) => name === 'persons');
    if (persons === undefined) throw new Error('there is no stream of persons');
    await syncSnapshot(ctx, persons);
    await fillHistory(ctx, { mode: 'increment', again: 'none' });
    await pollCurrent(ctx);
    simulator.setFaults([{ kind: 'status', status: 503, times: 1 }]);
    await ctx.platform.call('getHealth', {});

    const requests = await scrape('platform_requests_total');
    const served = simulator.requests().byOperation;
    for (const operation of ['listPersons', 'readHistory', 'readCurrent'] as const)
      expect(requests[`platform_requests_total{operation="${operation}",outcome="ok"}`]).toBe(
        served[operation],
      );
    expect(requests).toMatchObject({
      'platform_requests_total{operation="getHealth",outcome="unavailable"}': 1,
    });
    expect(await scrape('platform_retries')).toEqual({ 'platform_retries_total{operation="getHealth"}': 1 });
    expect(await scrape('rows_written_total{stream="persons",change="inserted"}')).toEqual({
      'rows_written_total{stream="persons",change="inserted"}': await databases.count('persons'),
    });
    expect(await scrape('points_written')).toEqual({
      'points_written_total{stream="history",store="postgres"}': await databases.count('samples'),
      'points_written_total{stream="history",store="influx"}': 60,
      'points_written_total{stream="current",store="postgres"}': 1,
    });
    expect(await scrape('runs_total')).toEqual(
      Object.fromEntries(
        ['persons', 'history', 'current'].map((stream) => [
          `runs_total{stream="${stream}",status="done"}`,
          1,
        ]),
      ),
    );
    const lags = await scrape('history_lag_seconds');
    expect(Object.keys(lags)).toEqual(
      ['postgres', 'influx'].map(
        (store) => `history_lag_seconds{selection="1",stream="history",store="${store}"}`,
      ),
    );
    for (const lag of Object.values(lags)) expect(lag).toBeLessThan(60);
    expect(await scrape('history_series')).toEqual({
      'history_series{selection="1",stream="history"}': 1,
      'history_series_behind{selection="1",stream="history",store="postgres"}': 0,
      'history_series_behind{selection="1",stream="history",store="influx"}': 0,
    });
    expect(Object.keys(await scrape('run_last_success'))).toHaveLength(3);

    await databases.db.query(`delete from plantsync.coverage where store like 'influx:%'`);
    expect(await scrape('history_series_behind')).toMatchObject({
      'history_series_behind{selection="1",stream="history",store="influx"}': 0,
    });
    pass();
    expect(await scrape('history_series_behind')).toEqual({
      'history_series_behind{selection="1",stream="history",store="postgres"}': 0,
      'history_series_behind{selection="1",stream="history",store="influx"}': 1,
    });
  });
});

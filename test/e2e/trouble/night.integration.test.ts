import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Overview, SeenDependency } from '../../../src/sync/status/overview-types.ts';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';
import { startInflux, startRedis, type TestServer } from '../../support/servers/servers.ts';
import { onlyStreams } from '../../support/stream-switches.ts';

let influx: TestServer;
let redis: TestServer;
beforeAll(async () => {
  [influx, redis] = await Promise.all([startInflux(), startRedis()]);
});
afterAll(() => Promise.all([influx.close(), redis.close()]));

/** Waits until `status` says so. Returns what it says to programs and to people, with both exit codes. */
async function statusSays({ run }: Pick<SimulatedProject, 'run'>, sentence: RegExp) {
  let overview: Overview | undefined;
  let code: number | undefined;
  const ask = async () => {
    const ran = await run(['status', '--json']);
    code = ran.code;
    overview = (JSON.parse(ran.stdout) as { overview: Overview }).overview;
    return overview.sentence;
  };
  await expect.poll(ask, { timeout: 120_000, interval: 500 }).toMatch(sentence);
  const shown = await run(['status']);
  if (overview === undefined) throw new Error('status told nothing');
  return { overview, code, shown };
}

const complete = /^everything is stored up to \S+Z$/;
async function lookAtInflux({ run }: SimulatedProject): Promise<SeenDependency | undefined> {
  const { overview } = JSON.parse((await run(['status', '--json'])).stdout) as { overview: Overview };
  return overview.dependencies.find(({ name }) => name === 'influx');
}
const problem = (overview: Overview, subject: string) =>
  overview.problems.find((each) => each.subject === subject);

/** Starts a service without a console, where everything is due every second or two. */
async function startNight() {
  const simulator = await openSimulator({ size: 'tiny', seed: 5 });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    platform: { requestTimeout: '2s', retries: 1 },
    postgres,
    influx: { url: influx.url, version: 1, database: 'night' },
    redis: { url: redis.url },
    // No scan falls into the night: it would bring a part only while the platform hangs.
    streams: { ...onlyStreams(), objects: { every: '30d' }, object_properties: { every: '30d' } },
    alarms: { current: 'off', history: 'off' },
    runtime: [
      { current: { every: '2s' }, history: { start: '10m', every: '2s', settle: '1s', lookback: '5s' } },
    ],
    limits: { shutdownTimeout: '2s' },
  }));
  const service = project.start(['run']);
  await service.printed(/the service runs/);
  return { project, simulator, service };
}

describe('in the night, status', () => {
  it('tells what is away since when and why, as the service has seen it, and what to do', {
    timeout: 600_000,
  }, async () => {
    const { project, simulator, service } = await startNight();
    const { overview, code } = await statusSays(project, complete);
    expect(code).toBe(0);
    expect(overview).toMatchObject({ level: 'ok', problems: [], services: [{ isAlive: true }] });
    expect(overview.dependencies.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'influx up',
      'platform up',
      'postgres up',
      'redis up',
    ]);
    expect(Date.parse(overview.token.validUntil ?? '')).toBeGreaterThan(Date.now());

    await influx.stop();
    await statusSays(project, /^InfluxDB is .*away since \S+: connection refused/);
    // The service has seen it as well, and has told the ledger.
    await expect
      .poll(() => lookAtInflux(project), { timeout: 120_000 })
      .toMatchObject({ toldBy: { role: 'all' } });
    const noInflux = await statusSays(project, /^InfluxDB is .*away/);
    expect(noInflux.shown).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/InfluxDB +away +\S+Z +connection refused; told by the service/),
    });
    // Each process tells the same time, because it is the time that the service has seen.
    const again = await statusSays(project, /^InfluxDB is/);
    expect(problem(again.overview, 'influx')?.since).toBe(problem(noInflux.overview, 'influx')?.since);
    await influx.start();
    await statusSays(project, complete);
    // This process may see that it is back before the service does.
    await expect
      .poll(() => lookAtInflux(project), { timeout: 120_000 })
      .toMatchObject({ lastAway: { from: problem(noInflux.overview, 'influx')?.since } });

    simulator.setFaults([{ kind: 'silent' }]);
    const hung = await statusSays(project, /the platform is away since \S+: no answer in time/);
    expect(hung).toMatchObject({ code: 1, shown: { code: 1 } });
    expect(problem(hung.overview, 'platform')?.code).toMatch(/^(platform\.timeout|sync\.no_answer)$/);
    simulator.setFaults([]);
    await statusSays(project, complete);

    await project.run(['pause']);
    expect(
      await statusSays(project, /everything is paused since (\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\dZ/),
    ).toMatchObject({
      code: 3,
      shown: { code: 3, stdout: expect.stringContaining('Run `plantsync resume` when it may go on.') },
    });
    await project.run(['resume']);

    await redis.stop();
    expect(await statusSays(project, /Redis is away since \S+: connection refused/)).toMatchObject({
      code: 1,
      shown: { code: 1 },
    });
    await redis.start();
    await statusSays(project, complete);

    service.process.kill('SIGKILL');
    const killed = await statusSays(
      project,
      /plantsync run \(role all, .*\) gives no sign of life since \S+Z/,
    );
    expect(killed).toMatchObject({ code: 1, shown: { code: 1 } });
    expect(killed.shown.stdout).toMatch(/service +silent/);
  });

  it('tells what can be seen without PostgreSQL', async () => {
    const simulator = await openSimulator({ size: { objects: 0, persons: 0 } });
    const port = await freePort();
    const project = await makeSimulatedProject(simulator, () => ({
      postgres: { url: `postgres://nobody@127.0.0.1:${port}/nothing`, password: 'x' },
      influx: { url: influx.url, version: 1, database: 'night' },
      redis: { url: redis.url },
    }));
    const { overview, code, shown } = await statusSays(project, /^PostgreSQL is away since .*refused$/);
    expect(code).toBe(1);
    expect(overview.dependencies.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'influx up',
      'platform up',
      'postgres down',
      'redis up',
    ]);
    // A look takes no token, which could end that of the service.
    expect(simulator.journal().map(({ operation }) => operation)).not.toContain('getClientAccessToken');
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('[postgres.unreachable]') });
  });
});

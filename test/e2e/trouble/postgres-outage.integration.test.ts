import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { readDatabase } from '../../support/plant-databases.ts';
import type { RunningPlantsync } from '../../support/program/plantsync.ts';
import { startPostgres } from '../../support/servers/servers.ts';
import { onlyStreams } from '../../support/stream-switches.ts';
import type { StubScript } from '../../support/stub/platform.ts';
import { makeStubPlant } from '../../support/stub/stub-plant.ts';

const CURRENT = '/openapi/objects/v1/properties/current';

interface CountingScript extends StubScript {
  /** The milliseconds that the platform takes to answer a poll. */
  readonly pollMs?: number;
}

/**
 * Starts a service on a Postgres of its own. It polls one property every second, whose value counts the
 * polls.
 */
async function startCounting(limits: object = {}, { pollMs, ...script }: CountingScript = {}) {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  let polls = 0;
  const plant = await makeStubPlant(
    {
      ...script,
      answer: (request, stub) => {
        if (request.path !== CURRENT) return undefined;
        const usual = stub.defaultAnswer(request);
        if (usual.status === 401) return usual;
        polls += 1;
        return { body: { 'pump1.temp': polls }, ...(pollMs !== undefined && { delayMs: pollMs }) };
      },
    },
    ({ influx }) => ({
      postgres: { url: server.url, password: server.options.password },
      influx,
      streams: onlyStreams(),
      limits,
      runtime: [{ objects: 'pump1', properties: 'temp', current: { every: '1s' }, history: false }],
    }),
  );
  const service = plant.start(['run']);
  const stored = async (): Promise<number[]> => {
    const db = openPostgres(server.options, silentLog);
    try {
      return (await readDatabase(db).rows('select value from plant.samples_polled order by at')) as number[];
    } finally {
      await db.close();
    }
  };
  const query = async (sql: string): Promise<unknown[]> => {
    const db = openPostgres(server.options, silentLog);
    try {
      return await readDatabase(db).rows(sql);
    } finally {
      await db.close();
    }
  };
  /** Waits for this many more polls. */
  const pass = async (count: number) => {
    const end = polls + count;
    while (polls < end) await sleep(50);
  };
  await service.printed(/the service runs/);
  await pass(2);
  return { ...plant, server, service, stored, query, pass, polls: () => polls };
}

const countTo = (last: number) => Array.from({ length: last }, (_, k) => k + 1);

async function endService(service: RunningPlantsync) {
  service.process.kill('SIGTERM');
  return service.ended;
}

describe('polls while Postgres is away', () => {
  it('go on, also with a new token, and none is lost in either store when it is back', async () => {
    const { server, service, stored, pass, polls, databases } = await startCounting(
      {},
      { tokenLivesMs: 2_500 },
    );
    for (const end of ['kill', 'stop'] as const) {
      await server[end]();
      await pass(5);
      await server.start();
      const target = polls();
      while (((await stored()).at(-1) ?? 0) < target) await sleep(200);
    }
    const inInflux = async () => (await databases.influxPoints('pump1.temp', 'runtime_polled')).values;
    const target = polls();
    while (((await inInflux()).at(-1) ?? 0) < target) await sleep(200);
    const { code, output } = await endService(service);
    expect(code).toBe(0);
    expect(output).not.toMatch(/are lost|were dropped/);
    const values = await stored();
    expect(values).toEqual(countTo(values.length));
    const points = await inInflux();
    expect(points).toEqual(countTo(points.length));
    expect(values.length).toBeGreaterThanOrEqual(points.length);
  });

  it('go on while it stands still, without waiting for it, and none is lost', async () => {
    const { server, service, stored, pass, polls } = await startCounting();
    await server.pause();
    onTestFinished(() => server.resume());
    // A poll that waited for Postgres would hold up all others.
    await pass(8);
    await server.resume();
    const target = polls();
    while (((await stored()).at(-1) ?? 0) < target) await sleep(200);
    const { code, output } = await endService(service);
    expect(code).toBe(0);
    expect(output).toMatch(/PostgreSQL has not answered for 1 s/);
    expect(output).not.toMatch(/are lost|were dropped/);
    const values = await stored();
    expect(values).toEqual(countTo(values.length));
  });

  it('go on before and after an outage that begins while one of them is under way', async () => {
    const { server, service, stored, pass, polls } = await startCounting({}, { pollMs: 600 });
    for (let outages = 0; outages < 2; outages += 1) {
      // Each poll takes its lock, waits for the platform, and finds Postgres gone.
      await pass(1);
      await server.kill();
      await pass(3);
      await server.start();
      const target = polls() + 2;
      while (((await stored()).at(-1) ?? 0) < target) await sleep(200);
    }
    const { code } = await endService(service);
    expect(code).toBe(0);
    const values = await stored();
    expect(values).toEqual(countTo(values.length));
  });

  it('drop the oldest beyond the bound, count them among the rejects, and say at the end how many are lost', async () => {
    const { server, service, stored, query, pass, polls, run } = await startCounting({ pollBufferValues: 3 });
    await server.kill();
    await pass(7);
    await server.start();
    const target = polls() + 1;
    while (((await stored()).at(-1) ?? 0) < target) await sleep(200);
    const values = await stored();
    const missing = countTo(values.at(-1) ?? 0).filter((value) => !values.includes(value));
    expect(missing.length).toBeGreaterThanOrEqual(3);
    // The dropped polls follow each other: they are the oldest of the outage.
    expect(missing).toEqual(countTo(missing.length).map((k) => k + (missing[0] ?? 0) - 1));
    expect(await query(`select stream, kind, count from plantsync.rejects`)).toEqual([
      ['current', 'poll', missing.length],
    ]);
    expect((await run(['status'])).stdout).toMatch(
      new RegExp(`^polled values lost .*: ${missing.length} `, 'm'),
    );

    await server.kill();
    await pass(2);
    const { code, output } = await endService(service);
    expect(code).toBe(0);
    expect(output).toMatch(
      /[1-3] polled values? of [1-3] polls? \(.*\) (is|are) lost: PostgreSQL was away until the end/,
    );
  });
});

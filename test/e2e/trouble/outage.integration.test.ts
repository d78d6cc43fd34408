import { describe, expect, it, onTestFinished } from 'vitest';
import { openInfluxReader } from '../../support/influx/influx-reader.ts';
import { startInflux } from '../../support/servers/servers.ts';
import type { StubScript } from '../../support/stub/platform.ts';
import { makeStubPlant, onlyHistoryOf } from '../../support/stub/stub-plant.ts';

const HISTORY = '/openapi/objects/v1/properties/history';
const always = { from: 0, to: 4e15 };

/** Makes 240 points at this distance, up to an hour ago: both `sync` and `backfill` read them. */
function recentPoints(stepMs: number): [time: string, value: number][] {
  const endMs = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
  return Array.from({ length: 240 }, (_, k) => [new Date(endMs - k * stepMs).toISOString(), k]);
}

/** Makes a plant with an InfluxDB of its own, which can be stopped. */
async function makePlantWithInflux({
  samples = true,
  stepMs = 60_000,
  answer = () => undefined,
}: {
  samples?: boolean;
  stepMs?: number;
  answer?: StubScript['answer'];
} = {}) {
  const server = await startInflux();
  onTestFinished(() => server.close());
  const influx = { url: server.url, version: 1 as const, database: 'plant' };
  const plant = await makeStubPlant(
    { history: { 'pump1.temp': recentPoints(stepMs) }, answer },
    ({ postgres }) => ({
      postgres: { ...postgres, samples },
      influx,
      ...onlyHistoryOf(['pump1.temp']),
    }),
  );
  return {
    ...plant,
    server,
    async readInflux() {
      const reader = openInfluxReader(influx);
      try {
        return await reader.totals({ object: 'pump1', property: 'temp' }, always);
      } finally {
        await reader.close();
      }
    },
  };
}

const everything = { values: 240, texts: 0, sum: (239 * 240) / 2 };
const commands = [
  ['sync', ['sync', 'history']],
  ['backfill', ['backfill', '--from', '-1d']],
] as const;

describe.each(commands)('%s while InfluxDB is down', (_, args) => {
  it('fills Postgres, says that InfluxDB is missing, and later fills InfluxDB alone', async () => {
    const { run, stub, server, databases, readInflux } = await makePlantWithInflux();
    await server.stop();
    const { code, output } = await run(args);
    expect(code).toBe(3);
    expect(output).toMatch(/^history: InfluxDB "plant" at 127\.0\.0\.1:\d+ cannot be reached/m);
    expect(await databases.rows('select count(*), sum(value) from plant.samples')).toEqual([
      [240, everything.sum],
    ]);

    await server.start();
    expect(await run([...args, '--json'])).toMatchObject({ code: 0 });
    expect(await readInflux()).toEqual(everything);
    expect(await databases.count('samples')).toBe(240);
    const stores = await databases.rows(
      `select store, covered::text from plantsync.coverage where stream = 'history'`,
    );
    expect(stores).toHaveLength(2);

    const requests = stub.requestsTo(HISTORY).length;
    const backfill = ['backfill', '--from', '-6h', '--to', '-1m'];
    expect(await run(backfill)).toMatchObject({ code: 0 });
    expect(stub.requestsTo(HISTORY)).toHaveLength(requests);
  });

  it('fails where history goes to InfluxDB alone, and loses nothing', async () => {
    const { run, server, databases, readInflux } = await makePlantWithInflux({ samples: false });
    await server.stop();
    const { code, output } = await run(args);
    expect(code).toBe(1);
    expect(output.match(/^history: InfluxDB .*/gm)).toEqual([
      expect.stringMatching(/^history: InfluxDB "plant" at 127\.0\.0\.1:\d+ cannot be reached/),
    ]);
    expect(await databases.rows('select count(*) from plantsync.coverage')).toEqual([0]);

    await server.start();
    expect(await run(args)).toMatchObject({ code: 0 });
    expect(await readInflux()).toEqual(everything);
    expect(await databases.count('samples')).toBe(0);
  });
});

describe('a backfill during which InfluxDB goes down', () => {
  it('fills Postgres, and the next one fills what InfluxDB lacks', async () => {
    let down: Promise<void> | undefined;
    const plant = await makePlantWithInflux({
      stepMs: 330_000,
      answer: async ({ path }) => {
        if (path !== HISTORY) return undefined;
        if (down === undefined && (await plant.readInflux()).values > 0) down ??= plant.server.kill();
        // From here on InfluxDB is down when an answer is to be written.
        await down;
        return undefined;
      },
    });
    const { run, server, databases, readInflux } = plant;
    // The first window is read alone. Its points are in InfluxDB before the next window is read.
    const backfill = ['backfill', '--from', '-23h'];
    // Small reads make many requests.
    const smallReads = { PLANTSYNC_LIMITS__ROWS_PER_READ: '5' };
    const { code, stdout } = await run(backfill, smallReads);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^history: InfluxDB "plant" at 127\.0\.0\.1:\d+ did not take a write/m);
    expect(await databases.count('samples')).toBe(240);

    await server.start();
    const { values } = await readInflux();
    expect(values).toBeGreaterThan(0);
    expect(values).toBeLessThan(240);
    expect(await run(backfill)).toMatchObject({ code: 0 });
    expect(await readInflux()).toEqual(everything);
  });
});

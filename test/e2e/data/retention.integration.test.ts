import { describe, expect, it } from 'vitest';
import { noAlarms } from '../../support/stream-switches.ts';
import { makeStubPlant, onlyHistoryOf } from '../../support/stub/stub-plant.ts';

const HISTORY = '/openapi/objects/v1/properties/history';
const hourMs = 3_600_000;

/**
 * Makes a plant where InfluxDB keeps two hours and Postgres three. The platform has a point every ten minutes
 * of the last ten hours.
 */
async function makeForgetfulPlant() {
  const nowMs = Date.now();
  const points = Array.from({ length: 60 }, (_, k): [string, number] => [
    new Date(nowMs - 30_000 - k * 600_000).toISOString(),
    k,
  ]);
  const plant = await makeStubPlant({ history: { 'pump1.temp': points } }, ({ postgres, influx }) => ({
    postgres: { ...postgres, keepSamples: '3h' },
    influx: { ...influx, retention: '2h' },
    alarms: noAlarms,
    ...onlyHistoryOf(['pump1.temp']),
  }));
  const oldestAskedMs = () =>
    Math.min(
      ...plant.stub.requestsTo(HISTORY).map(({ body }) => {
        const { where } = body as { where: { and: { timestamp: { ge: string } } } };
        return Date.parse(where.and.timestamp.ge);
      }),
    );
  return { ...plant, nowMs, oldestAskedMs };
}

describe('stores that keep points for a while only', () => {
  it('are not asked to take older ones, and nobody calls those missing', async () => {
    const { run, databases, stub, nowMs, oldestAskedMs } = await makeForgetfulPlant();
    const { code, stdout } = await run(['backfill', '--from', '-10h']);
    expect(code).toBe(0);
    expect(stdout.match(/^history: \(note\) (postgres|influx):.* keeps points since .* only/gm)).toHaveLength(
      2,
    );
    expect(oldestAskedMs()).toBeGreaterThanOrEqual(nowMs - 3 * hourMs);
    expect(await databases.count('samples')).toBe(18);
    expect((await databases.influxPoints('pump1.temp')).times).toHaveLength(12);
    expect(await databases.rows('select count(*)::int from plantsync.rejects')).toEqual([0]);
    expect(await run(['sync', 'history'])).toMatchObject({ code: 0 });
    expect(await run(['gaps'])).toMatchObject({ code: 0 });

    const requests = stub.requestsTo(HISTORY).length;
    const refused = await run(['backfill', '--from', '-9h', '--to', '-5h']);
    expect(refused.code).toBe(2);
    expect(refused.output).toMatch(/No store keeps points of this range[\s\S]*postgres:plant[\s\S]*influx:/);
    expect(stub.requestsTo(HISTORY)).toHaveLength(requests);
  });
});

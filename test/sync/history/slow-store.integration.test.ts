import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SyncContext } from '../../../src/sync/context.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { startInfluxRecorder } from '../../support/influx/influx-recorder.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const POINTS = 20_000;
/** Room for about 1,600 points in the queue of each store. */
const limits = { bytesInFlight: '512KiB', rowsPerRead: 500 };

/**
 * Opens a plant with a pump with much history, Postgres, and an InfluxDB that answers writes only when it is
 * let.
 */
async function openWithSlowInflux() {
  const recorder = await startInfluxRecorder();
  onTestFinished(() => recorder.close());
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  recorder.answer = async ({ path }) => {
    if (!path.endsWith('/write')) return { status: 200, body: { version: '2.7', buckets: [{ name: 'b' }] } };
    await held;
    return { status: 204 };
  };
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    influx: { url: recorder.url, version: 2, org: 'o', bucket: 'b', token: 't' },
    runtime: [{ objects: 'pump1', properties: 'temp', current: false, history: { start: '10d' } }],
    limits,
  }));
  function* points(): Generator<[number, number]> {
    for (let k = 0; k < POINTS; k += 1) yield [nowMs - 9 * 86_400_000 + k * 30_000, k];
  }
  plant.simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: points() }] });
  const times = () =>
    new Set(
      recorder.writes().flatMap(({ lines }) => lines.map((line) => line.slice(line.lastIndexOf(' ') + 1))),
    );
  return { ...plant, recorder, release, times };
}

/**
 * Expects that other fillings are kept off the history around a time (epoch microseconds), or are not. They
 * are never kept off an aggregate.
 */
async function expectClaimed(ctx: SyncContext, at: number, claimed: boolean): Promise<void> {
  const other = ctx.ledger.claims.begin();
  const [series] = (await ctx.catalog.select()).flatMap((selected) => selected.series);
  const stores = ctx.stores.map(({ id }) => id);
  const claim = { seriesIds: [series?.id ?? 0], range: { from: at, to: at + 1e6 }, stores };
  const takes = async (stream: string) => (await other.take({ ...claim, stream })) !== undefined;
  expect(await takes('history/3600s/mean')).toBe(true);
  expect(await takes('history')).toBe(!claimed);
  await other.end();
}

describe('a store that writes slowly', () => {
  it('does not hold up the other, is given a bounded amount meanwhile, and gets the rest when the other has all', async () => {
    const { ctx, databases, release, times, recorder } = await openWithSlowInflux();
    const filling = fillHistory(ctx, { mode: 'increment', again: 'none' });
    while ((await databases.count('samples')) < POINTS) await sleep(50);
    await expect.poll(() => times().size).toBeGreaterThan(0);
    expect(times().size).toBeLessThan(POINTS / 3);
    // Windows are read side by side, so the store may be writing any of them.
    const [writing] = times();
    await expectClaimed(ctx, Number(writing), true);
    release();
    expect(await filling).toMatchObject({ status: 'done', problems: [] });
    expect(times().size).toBe(POINTS);
    expect(await databases.count('samples')).toBe(POINTS);
    const covered = await databases.rows('select distinct covered::text from plantsync.coverage');
    expect(covered).toHaveLength(1);
    const lines = recorder.writes().reduce((sum, write) => sum + write.lines.length, 0);
    expect(lines, 'nothing is written to it twice').toBe(POINTS);
    await expectClaimed(ctx, Number(writing), false);
  });

  it('is caught up by the next run where the time of this one is over', async () => {
    const { ctx, databases, release, times } = await openWithSlowInflux();
    const filling = fillHistory(ctx, { mode: 'increment', again: 'none', catchUpUntil: ctx.clock() });
    while ((await databases.count('samples')) < POINTS) await sleep(50);
    release();
    expect(await filling).toMatchObject({ status: 'done' });
    expect(times().size).toBeLessThan(POINTS);
    expect(await fillHistory(ctx, { mode: 'increment', again: 'none' })).toMatchObject({ status: 'done' });
    expect(times().size).toBe(POINTS);
  });
});

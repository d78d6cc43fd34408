import { describe, expect, it } from 'vitest';
import { listJobs } from '../../../jobs/index.ts';
import type { Selection } from '../../../src/config/config-schema.ts';
import { type Fence, withFence } from '../../../src/postgres/fence.ts';
import { type Series, seriesName } from '../../../src/series/types.ts';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { objects } from '../../../src/streams/objects.ts';
import { syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import { deliverPolls } from '../../../src/sync/polls/deliver-polls.ts';
import { pollCurrent } from '../../../src/sync/polls/poll-current.ts';
import { PollInPortions } from '../../../src/sync/polls/poll-in-portions.ts';
import { emptySummary } from '../../../src/sync/run-summary.ts';
import { readStatus } from '../../../src/sync/status/read-status.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

/** Opens a platform whose clock the test moves, with two properties that are polled. */
async function openPolled(current: object) {
  const clock = { nowMs: Date.UTC(2026, 2, 1, 12) };
  const plant = await openSimulatedPlant(
    { size: { objects: 0, persons: 0 }, nowMs: () => clock.nowMs },
    ({ influx }) => ({
      influx,
      runtime: ['temp', 'note'].map((properties) => ({
        objects: 'pump1',
        properties,
        current,
        history: false,
      })),
    }),
  );
  const past = clock.nowMs - 60_000;
  plant.simulator.addObject({
    name: 'pump1',
    properties: [
      { name: 'temp', points: [[past, 20]] },
      { name: 'note', primitiveType: 'String', points: [[past, 'well']] },
    ],
  });
  const set = (property: string, value: number | string) => {
    clock.nowMs += 1_000;
    plant.simulator.addPoints(`pump1.${property}`, [[clock.nowMs, value]]);
    clock.nowMs += 1_000;
  };
  const kept = () =>
    plant.databases.rows(
      `select coalesce(text, value::text) from plant.samples_polled join plant.series using (series_id) order by at, property desc`,
    );
  return { ...plant, set, kept };
}

describe('polls of which only changes are kept', () => {
  it('keep the first value after a start and every change, and current_values follows always', async () => {
    const { ctx, databases, set, kept } = await openPolled({ onlyChanges: true });
    await pollCurrent(ctx);
    await pollCurrent(ctx);
    set('temp', 21);
    await pollCurrent(ctx);
    set('note', 'oiled');
    set('temp', 20);
    await pollCurrent(ctx);
    expect(await kept()).toEqual(['20', 'well', '21', '20', 'oiled']);
    const lag = await databases.rows(
      "select (select max(started_at) from plantsync.runs) - min(at) < interval '1 second' from plant.current_values",
    );
    expect(lag, 'current_values has the time of the last poll').toEqual([true]);
    await deliverPolls(ctx);
    expect((await databases.influxPoints('pump1.temp', 'runtime_polled')).values).toEqual([20, 21, 20]);

    await pollCurrent({ ...ctx, polledBefore: new Set() });
    expect(await kept()).toHaveLength(7);
  });

  it('are compared with what is stored, whichever process stored it', async () => {
    const { ctx, set, kept } = await openPolled({ onlyChanges: true });
    const other = { ...ctx, polledBefore: new Set<number>() };
    await pollCurrent(ctx);
    await pollCurrent(other);
    set('temp', 21);
    await pollCurrent(other);
    set('temp', 20);
    await pollCurrent(ctx);
    expect((await kept()).slice(-2)).toEqual(['21', '20']);
  });

  it('keep the first value also if the process had stood still at the poll before', async () => {
    const { ctx } = await openPolled({ onlyChanges: true });
    const [selected] = await ctx.catalog.seriesOf(ctx.config.runtime[0] as Selection);
    const series = selected as Series;
    const current = { name: seriesName(series), value: 20, status: undefined, time: undefined };
    async function* batches() {
      yield { values: [{ series, current, receivedAt: ctx.clock() }], missing: [] };
    }
    const stoodStill: Fence = {
      confirm: () => Promise.reject(new Error('the lease has ended')),
      ...{ hasEnded: true, checkSql: 'select 1', endedMessage: 'the lease has ended' },
    };
    const keep = () =>
      new PollInPortions(ctx, emptySummary('current'), new Set([series.id])).keepAll(batches());
    await expect(withFence(stoodStill, keep)).rejects.toThrow('the lease has ended');
    expect(ctx.polledBefore.size).toBe(0);
    await keep();
    expect(ctx.polledBefore.size).toBe(1);
  });

  it('are all kept where that is off', async () => {
    const { ctx, kept } = await openPolled({});
    await pollCurrent(ctx);
    await pollCurrent(ctx);
    expect(await kept()).toHaveLength(4);
  });
});

describe('a poll that takes longer than its period', () => {
  it('has those counted that it left out, by run and in the status', async () => {
    const { ctx } = await openPolled({ every: '10s' });
    const job = listJobs(ctx.config).find(({ name }) => name === 'poll-1');
    let at = 1_000_000_000;
    /** Runs a poll some seconds after the poll before. In the ledger the poll takes `seconds`. */
    const runAfter = async (waitSeconds: number, seconds: number) => {
      at += waitSeconds;
      const summary = [await job?.run({ ...ctx, clock: () => at * 1e6 })].flat()[0];
      await ctx.db.query(
        `update plantsync.runs set started_at = to_timestamp($1), finished_at = to_timestamp($2)
         where id = (select max(id) from plantsync.runs)`,
        [at, at + seconds],
      );
      return summary;
    };
    expect((await runAfter(0, 1))?.skippedPolls).toBeUndefined();
    expect((await runAfter(10, 25))?.skippedPolls).toBeUndefined();
    expect(await runAfter(30, 15)).toMatchObject({ status: 'done', skippedPolls: 2 });
    expect((await runAfter(20, 1))?.notes).toEqual([expect.stringMatching(/^1 poll did not run/)]);
    // No poll was under way in this hour: the service stood still, and no poll held up another.
    expect((await runAfter(3_600, 1))?.skippedPolls).toBeUndefined();
    expect((await readStatus(ctx)).skippedPolls).toEqual([
      { kind: 'poll pump1/temp', skipped: 3, since: expect.any(Number) },
    ]);
  });
});

describe('a poll of more values than are kept at once', () => {
  /** Opens a platform that shows more properties than a portion holds. */
  async function openWide() {
    const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      runtime: [{ objects: 'wide', history: false }],
    }));
    const properties = Array.from({ length: 5_400 }, (_, k) => ({ name: `p${k}` }));
    plant.simulator.addObject({ name: 'wide', properties });
    for (const stream of [objects, objectProperties]) await syncSnapshot(plant.ctx, stream);
    const count = async () =>
      (
        await plant.databases.rows(
          'select array[count(*), count(distinct series_id)]::int[] from plant.samples_polled',
        )
      )[0];
    return { ...plant, count };
  }

  it('keeps each of them once', async () => {
    const { ctx, count } = await openWide();
    expect(await pollCurrent(ctx)).toMatchObject({
      status: 'done',
      records: 5_400,
      requests: 27,
      points: { postgres: 5_400 },
    });
    expect(await count()).toEqual([5_400, 5_400]);
  });

  it('keeps what the platform has told before it refuses the rest', async () => {
    const { ctx, simulator, count } = await openWide();
    await pollCurrent(ctx);
    simulator.setFaults([{ kind: 'status', operation: 'readCurrent', after: 26, status: 403 }]);
    const summary = await pollCurrent(ctx);
    expect(summary).toMatchObject({ status: 'failed', records: 5_200, points: { postgres: 5_200 } });
    expect(summary.problems).toHaveLength(1);
    expect(await count()).toEqual([10_600, 5_400]);
  });

  it('tells the failure of the platform once, where every request fails', async () => {
    const { ctx, simulator } = await openWide();
    const failure = { kind: 'status', operation: 'readCurrent', status: 400 } as const;
    simulator.setFaults([{ ...failure, code: '800001', message: 'operation failed' }]);
    const { status, problems } = await pollCurrent(ctx);
    expect(status).toBe('failed');
    expect(problems).toEqual([expect.stringContaining('operation failed')]);
  });
});

import { expect, it } from 'vitest';
import type { PolledBatch } from '../../../src/extract/current-reader.ts';
import { silentLog } from '../../../src/log.ts';
import { PollInPortions } from '../../../src/sync/polls/poll-in-portions.ts';
import { PollKeeper } from '../../../src/sync/polls/poll-keeper.ts';
import { emptySummary } from '../../../src/sync/run-summary.ts';

it('reads a poll to its end while a Postgres that is too slow for it writes', async () => {
  let open = () => {};
  const isRead = new Promise<void>((resolve) => (open = resolve));
  const written: number[] = [];
  const polls = new PollKeeper({
    write: async ({ points }) => {
      // The first portion has used up the time that a poll may wait.
      if (written.length > 0) await isRead;
      written.push(points.length);
      return points.length;
    },
    ...{ noteLost: async () => undefined, bounds: { maxValues: 1e6, maxBytes: 1e9 } },
    ...{ log: silentLog, sleep: () => new Promise(() => undefined), patienceMs: 0 },
  });
  async function* batches(): AsyncGenerator<PolledBatch> {
    for (let portion = 0; portion < 4; portion += 1) {
      const values = Array.from({ length: 5_000 }, (_, k) => ({
        series: { id: portion * 5_000 + k, object: 'o', property: `p${k}`, primitiveType: null },
        current: { name: `o.p${k}`, value: k, status: undefined, time: undefined },
        receivedAt: 1,
      }));
      yield { values, missing: [] };
    }
    open();
  }
  const summary = emptySummary('current');
  const ctx = {
    ...{ polls, parseInstant: Number, polledBefore: new Set<number>() },
    ...{ postgresStore: { kind: 'postgres' }, platform: { clockSkewMs: () => 0 } },
  };
  await new PollInPortions(ctx, summary, new Set()).keepAll(batches());
  expect(written).toEqual([5_000, 5_000, 5_000, 5_000]);
  expect(summary).toMatchObject({ records: 20_000, points: { postgres: 20_000 }, problems: [] });
});

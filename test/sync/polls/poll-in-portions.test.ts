import { describe, expect, it } from 'vitest';
import type { PolledBatch } from '../../../src/extract/current-reader.ts';
import { silentLog } from '../../../src/log.ts';
import { PollInPortions } from '../../../src/sync/polls/poll-in-portions.ts';
import { PollKeeper } from '../../../src/sync/polls/poll-keeper.ts';
import { emptySummary } from '../../../src/sync/run-summary.ts';

/** Opens a keeper that waits no longer than it must, and a Postgres that writes from `open` on. */
function openSlow(maxValues: number) {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  const written: number[] = [];
  const polls = new PollKeeper({
    write: async ({ points }) => {
      // The first portion uses up the time that a poll may wait.
      if (written.length > 0) await isOpen;
      written.push(points.length);
      return points.length;
    },
    ...{ noteLost: async () => undefined, bounds: { maxValues, maxBytes: 1e9 } },
    ...{ log: silentLog, sleep: () => new Promise(() => undefined), patienceMs: 0 },
  });
  const summary = emptySummary('current');
  const ctx = {
    ...{ polls, parseInstant: Number, polledBefore: new Set<number>() },
    ...{ postgresStore: { kind: 'postgres' }, platform: { clockSkewMs: () => 0 } },
  };
  return { open, written, summary, polls, poll: new PollInPortions(ctx, summary, new Set()) };
}

/** Makes four portions, and tells how many were asked for. */
async function* fourPortions(onAsked: (count: number) => void): AsyncGenerator<PolledBatch> {
  for (let portion = 0; portion < 4; portion += 1) {
    onAsked(portion + 1);
    const values = Array.from({ length: 5_000 }, (_, k) => ({
      series: { id: portion * 5_000 + k, object: 'o', property: `p${k}`, primitiveType: null },
      current: { name: `o.p${k}`, value: k, status: undefined, time: undefined },
      receivedAt: 1,
    }));
    yield { values, missing: [] };
  }
}

const whole = { records: 20_000, points: { postgres: 20_000 }, problems: [] };

describe('a poll that takes Postgres longer than it may wait', () => {
  it('is read to its end meanwhile', async () => {
    const { open, written, summary, poll } = openSlow(1e6);
    await poll.keepAll(fourPortions((count) => count === 4 && open()));
    expect(written).toEqual([5_000, 5_000, 5_000, 5_000]);
    expect(summary).toMatchObject(whole);
  });

  it('waits where memory would be full, and drops nothing', async () => {
    const { open, summary, polls, poll } = openSlow(10_000);
    let asked = 0;
    const keeping = poll.keepAll(
      fourPortions((count) => {
        asked = count;
      }),
    );
    await expect.poll(() => polls.waiting.values).toBe(5_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toBe(2);
    open();
    await keeping;
    expect(summary).toMatchObject(whole);
  });
});

import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import type { PolledBatch } from '../../../src/extract/current-reader.ts';
import { silentLog } from '../../../src/log.ts';
import { asStoreError } from '../../../src/postgres/postgres-errors.ts';
import { sleepOrWake } from '../../../src/sleep.ts';
import { PollInPortions } from '../../../src/sync/polls/poll-in-portions.ts';
import { PollKeeper } from '../../../src/sync/polls/poll-keeper.ts';
import { emptySummary } from '../../../src/sync/run-summary.ts';

/** Opens a poll of which Postgres refuses the portions with these numbers, and counts what it writes. */
function openPoll(refused: readonly number[]) {
  let portions = 0;
  const written: number[] = [];
  const polls = new PollKeeper({
    write: async ({ points }) => {
      portions += 1;
      const error = new DatabaseError(`portion ${portions} is out of range`, 1, 'error');
      if (refused.includes(portions)) throw asStoreError(Object.assign(error, { code: '22008' }), 'writing');
      written.push(points.length);
      return points.length;
    },
    ...{ noteLost: async () => undefined, bounds: { maxValues: 1e6, maxBytes: 1e9 } },
    ...{ log: silentLog, sleep: sleepOrWake, patienceMs: 10_000 },
  });
  const summary = emptySummary('current');
  const ctx = {
    ...{ polls, parseInstant: Number, polledBefore: new Set<number>() },
    ...{ postgresStore: { kind: 'postgres' }, platform: { clockSkewMs: () => 0 } },
  };
  return { written, summary, poll: new PollInPortions(ctx, summary, new Set()) };
}

/** Makes three portions, of which the last is small. Then the platform may fail. */
async function* batches(failure?: Error): AsyncGenerator<PolledBatch> {
  for (const [portion, size] of [5_000, 5_000, 10].entries()) {
    const values = Array.from({ length: size }, (_, k) => ({
      series: { id: portion * 5_000 + k, object: 'o', property: `p${k}`, primitiveType: null },
      current: { name: `o.p${k}`, value: k, status: undefined, time: undefined },
      receivedAt: 1,
    }));
    yield { values, missing: [] };
  }
  if (failure !== undefined) throw failure;
}

describe('a portion that Postgres refuses', () => {
  it('ends the poll as a failure, and the others are kept', async () => {
    const { written, summary, poll } = openPoll([1]);
    await expect(poll.keepAll(batches())).rejects.toThrow('portion 1 is out of range');
    expect(written).toEqual([5_000, 10]);
    expect(summary).toMatchObject({ records: 10_010, points: { postgres: 5_010 } });
  });

  it('is told also where another is refused, and where the platform fails', async () => {
    const { written, summary, poll } = openPoll([1, 2]);
    await expect(poll.keepAll(batches(new Error('the platform went away')))).rejects.toThrow(
      'the platform went away',
    );
    expect(written).toEqual([10]);
    expect(summary.problems).toEqual([
      expect.stringContaining('portion 1 is out of range'),
      expect.stringContaining('portion 2 is out of range'),
    ]);
  });
});

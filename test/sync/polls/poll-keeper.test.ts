import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { silentLog } from '../../../src/log.ts';
import { asStoreError } from '../../../src/postgres/postgres-errors.ts';
import type { LostPolls, PollPortion } from '../../../src/sync/polls/poll-buffer.ts';
import { PollKeeper } from '../../../src/sync/polls/poll-keeper.ts';

const pollAt = (at: number, run: object = {}): PollPortion => ({
  run,
  points: [
    {
      series: { id: 1, object: 'o', property: 'p', primitiveType: null },
      times: [at],
      values: [at],
      texts: [null],
      qualities: [null],
    },
  ],
  repeats: [],
});

const down = () =>
  new StoreError('postgres.unreachable', 'PostgreSQL cannot be reached', { action: 'retry' });

/** Opens a keeper on a Postgres that does what the test says. Waits end at `wake`. */
function openKeeper({ maxValues = 100 } = {}) {
  const written: number[] = [];
  const lost: LostPolls[] = [];
  const errors: string[] = [];
  const postgres = { answer: async () => undefined as unknown, note: async () => undefined as unknown };
  let waits: { ms: number; wake: () => void }[] = [];
  const keeper = new PollKeeper({
    write: async ({ points }) => {
      await postgres.answer();
      written.push(points[0]?.times[0] ?? 0);
      return points.length;
    },
    noteLost: async (polls) => {
      await postgres.note();
      lost.push(polls);
    },
    bounds: { maxValues, maxBytes: 1e9 },
    patienceMs: 10_000,
    log: { ...silentLog, error: (...words: unknown[]) => void errors.push(String(words.at(-1))) } as never,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', () => resolve());
        waits.push({ ms, wake: resolve });
      }),
  });
  const settle = async () => {
    for (let k = 0; k < 5; k += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Ends the waits of this length. */
  const wake = async (ms: number) => {
    const due = waits.filter((wait) => wait.ms === ms);
    waits = waits.filter((wait) => wait.ms !== ms);
    for (const wait of due) wait.wake();
    await settle();
  };
  return { keeper, written, lost, errors, postgres, wake };
}

describe('keeping polls', () => {
  it('writes a poll at once while Postgres takes it', async () => {
    const { keeper, written } = openKeeper();
    await expect(keeper.keep(pollAt(1))).resolves.toEqual({ written: 1 });
    expect([written, keeper.isAway]).toEqual([[1], false]);
  });

  it('lets polls wait while Postgres is away, and writes them in their order when it is back', async () => {
    const { keeper, written, postgres, wake } = openKeeper();
    postgres.answer = () => Promise.reject(down());
    for (const at of [1, 2, 3])
      await expect(keeper.keep(pollAt(at))).resolves.toMatchObject({ waiting: at, dropped: undefined });
    expect(keeper.isAway).toBe(true);
    postgres.answer = async () => undefined;
    await wake(1_000);
    expect([written, keeper.isAway]).toEqual([[1, 2, 3], false]);
    await expect(keeper.keep(pollAt(4))).resolves.toEqual({ written: 1 });
  });

  it('does not wait for a Postgres that has fallen silent', async () => {
    const { keeper, written, postgres, wake } = openKeeper();
    let answer = () => {};
    postgres.answer = () => new Promise<void>((resolve) => (answer = resolve));
    const first = keeper.keep(pollAt(1));
    await wake(10_000);
    await expect(first).resolves.toMatchObject({ waiting: 1 });
    await expect(keeper.keep(pollAt(2))).resolves.toMatchObject({ waiting: 2 });
    postgres.answer = async () => undefined;
    answer();
    await wake(10_000);
    expect(written).toEqual([1, 2]);
  });

  it('drops the oldest beyond its bound, and tells it once when Postgres is back', async () => {
    const { keeper, written, lost, postgres, wake } = openKeeper({ maxValues: 2 });
    postgres.answer = () => Promise.reject(down());
    for (const at of [1, 2, 3, 4]) await keeper.keep(pollAt(at));
    expect(keeper.takeLoss()).toBeUndefined();
    postgres.answer = async () => undefined;
    await wake(1_000);
    expect(written).toEqual([3, 4]);
    expect(lost).toEqual([{ polls: 2, values: 2, from: 1, to: 2 }]);
    expect(keeper.takeLoss()).toEqual(lost[0]);
    expect(keeper.takeLoss()).toBeUndefined();
  });

  it('counts a poll of several portions once, whether they wait or are dropped', async () => {
    const { keeper, lost, postgres, wake } = openKeeper({ maxValues: 2 });
    postgres.answer = () => Promise.reject(down());
    const run = {};
    for (const at of [1, 2]) await keeper.keep(pollAt(at, run));
    expect(keeper.waiting).toEqual({ polls: 1, values: 2 });
    for (const at of [3, 4]) await keeper.keep(pollAt(at));
    postgres.answer = async () => undefined;
    await wake(1_000);
    expect(lost).toEqual([{ polls: 1, values: 2, from: 1, to: 2 }]);
  });

  it('notes also what is dropped while it notes what was dropped before', async () => {
    const { keeper, lost, postgres, wake } = openKeeper({ maxValues: 1 });
    postgres.answer = () => Promise.reject(down());
    for (const at of [1, 2]) await keeper.keep(pollAt(at));
    postgres.answer = async () => undefined;
    let noted = () => {};
    postgres.note = () => new Promise<void>((resolve) => (noted = resolve));
    await wake(1_000);
    const kept = [3, 4, 5].map((at) => keeper.keep(pollAt(at)));
    postgres.note = async () => undefined;
    noted();
    await Promise.all(kept);
    await wake(0);
    expect(lost).toEqual([
      { polls: 1, values: 1, from: 1, to: 1 },
      { polls: 2, values: 2, from: 3, to: 4 },
    ]);
  });

  it('knows that Postgres is away until a question is answered', async () => {
    const { keeper, wake } = openKeeper();
    let answer = (_: number) => {};
    const asked = keeper.awaitAnswer(() => new Promise<number>((resolve) => (answer = resolve)));
    await wake(10_000);
    await expect(asked).resolves.toBeUndefined();
    expect(keeper.isAway).toBe(true);
    answer(1);
    await wake(0);
    expect(keeper.isAway).toBe(false);
  });

  it('gives up a poll whose values Postgres refuses, and goes on with the next', async () => {
    const { keeper, written, postgres } = openKeeper();
    const outOfRange = Object.assign(new DatabaseError('out of range', 1, 'error'), { code: '22008' });
    postgres.answer = () => Promise.reject(asStoreError(outOfRange, 'writing a poll'));
    await expect(keeper.keep(pollAt(1))).rejects.toThrow('out of range');
    postgres.answer = async () => undefined;
    await expect(keeper.keep(pollAt(2))).resolves.toEqual({ written: 1 });
    expect(written).toEqual([2]);
  });

  it('tries once more at the end, and says what is lost', async () => {
    const away = openKeeper();
    away.postgres.answer = () => Promise.reject(down());
    for (const at of [1, 2]) await away.keeper.keep(pollAt(at));
    await away.keeper.close();
    expect(away.errors.at(-1)).toMatch(/^2 polled values of 2 polls .* are lost/);

    const back = openKeeper();
    back.postgres.answer = () => Promise.reject(down());
    await back.keeper.keep(pollAt(1));
    back.postgres.answer = async () => undefined;
    await back.keeper.close();
    expect([back.written, back.errors]).toEqual([[1], []]);
  });
});

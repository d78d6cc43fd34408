import { describe, expect, it } from 'vitest';
import { StoreQueue } from '../../../src/sync/history/store-queue.ts';

/** Opens a queue of numbers whose writes end when the test says so. */
function openQueue(maxBytes: number, writesAtOnce = 1) {
  const begun: number[] = [];
  const ends: { ok: () => void; fail: () => void }[] = [];
  const queue = new StoreQueue<number>({
    write: (item) => {
      begun.push(item);
      return new Promise<void>((resolve, reject) =>
        ends.push({ ok: resolve, fail: () => reject(new Error('down')) }),
      );
    },
    maxBytes,
    writesAtOnce,
  });
  const end = async (how: 'ok' | 'fail' = 'ok') => {
    ends.shift()?.[how]();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, begun, end };
}

describe('the queue of a store', () => {
  it('writes in order, so many at once', async () => {
    const { queue, begun, end } = openQueue(100, 2);
    for (const item of [1, 2, 3, 4]) queue.put(item, 10);
    expect(begun).toEqual([1, 2]);
    await end();
    expect(begun).toEqual([1, 2, 3]);
    for (let k = 0; k < 3; k += 1) await end();
    await queue.untilIdle();
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('has no more room once so many bytes wait, until half of them are written', async () => {
    const { queue, end } = openQueue(100);
    for (let k = 0; k < 4; k += 1) queue.put(k, 25);
    expect([queue.hasRoom, queue.wantsMore]).toEqual([false, false]);
    await end();
    expect(queue.hasRoom).toBe(false);
    await end();
    expect([queue.hasRoom, queue.wantsMore]).toEqual([true, false]);
    await end();
    expect(queue.wantsMore, 'nothing waits any more').toBe(true);
  });

  it('tells of each item when it is written, or will not be', async () => {
    const { queue, end } = openQueue(100);
    const told: number[] = [];
    for (const item of [1, 2, 3]) void queue.put(item, 10).then(() => told.push(item));
    await end();
    expect(told).toEqual([1]);
    await end('fail');
    expect(told.sort()).toEqual([1, 2, 3]);
  });

  it('drops what waits when a write fails, and is idle then', async () => {
    const { queue, begun, end } = openQueue(100);
    for (const item of [1, 2, 3]) queue.put(item, 40);
    await end('fail');
    await queue.untilIdle();
    expect(begun).toEqual([1]);
    expect(queue.hasRoom).toBe(true);
  });
});

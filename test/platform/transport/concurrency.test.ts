import { describe, expect, it } from 'vitest';
import {
  AdaptiveConcurrency,
  type LoadSign,
  type Waiting,
} from '../../../src/platform/transport/concurrency.ts';

const never = new AbortController().signal;

/**
 * Lets `count` requests through one round. They start together as far as there are places, and end with one
 * sign.
 */
async function round(concurrency: AdaptiveConcurrency, sign: LoadSign, latencyMs = 10): Promise<void> {
  const slots = await Promise.all(
    Array.from({ length: concurrency.limit }, () => concurrency.acquire(never)),
  );
  for (const slot of slots) slot.release(sign, 'listUsers', latencyMs);
}

async function grown(max: number): Promise<AdaptiveConcurrency> {
  const concurrency = new AdaptiveConcurrency(max);
  for (let count = 0; count < 2 * max; count += 1) await round(concurrency, 'ok');
  expect(concurrency.limit).toBe(max);
  return concurrency;
}

describe('AdaptiveConcurrency', () => {
  it('grows by about one per round up to its maximum while latency holds', async () => {
    const concurrency = new AdaptiveConcurrency(16);
    const limits: number[] = [];
    for (let count = 0; count < 24; count += 1) {
      limits.push(concurrency.limit);
      await round(concurrency, 'ok');
    }
    expect(limits.slice(0, 3)).toEqual([2, 2, 3]);
    expect(limits.every((limit, at) => at === 0 || limit - (limits[at - 1] ?? 0) <= 1)).toBe(true);
    expect(concurrency.limit).toBe(16);
  });

  it('stops growing when replies take much longer than usual', async () => {
    const concurrency = new AdaptiveConcurrency(16);
    for (let count = 0; count < 5; count += 1) await round(concurrency, 'ok', 10);
    const before = concurrency.limit;
    for (let count = 0; count < 3; count += 1) await round(concurrency, 'ok', 500);
    expect(concurrency.limit).toBe(before);
  });

  it('does not compare the latencies of unlike operations', async () => {
    const concurrency = new AdaptiveConcurrency(16);
    for (let count = 0; count < 60; count += 1) {
      const slot = await concurrency.acquire(never);
      slot.release('ok', count % 2 === 0 ? 'listUsers' : 'readHistory', count % 2 === 0 ? 5 : 900);
    }
    expect(concurrency.limit).toBeGreaterThan(8);
  });

  it('halves once per round of overload, and falls to 1 when everything fails', async () => {
    const concurrency = await grown(16);
    const limits: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      await round(concurrency, 'overload');
      limits.push(concurrency.limit);
    }
    expect(limits).toEqual([8, 4, 2, 1, 1, 1]);
  });

  it('takes single failures as no load, and three in a row as load', async () => {
    const concurrency = await grown(4);
    for (const sign of ['failing', 'failing', 'ok', 'failing', 'failing', 'none'] as const)
      (await concurrency.acquire(never)).release(sign, 'listUsers', 10);
    expect(concurrency.limit).toBe(4);
    (await concurrency.acquire(never)).release('failing', 'listUsers', 10);
    expect(concurrency.limit).toBe(2);
  });

  it('never lets more through than its limit, retries first', async () => {
    const concurrency = new AdaptiveConcurrency(1);
    const first = await concurrency.acquire(never);
    const order: string[] = [];
    const noted = async (name: string, ahead: boolean) => {
      const slot = await concurrency.acquire(never, { ahead });
      order.push(name);
      return slot;
    };
    const waiting = [noted('new', false), noted('retry', true)];
    await Promise.resolve();
    expect(order).toEqual([]);
    first.release('ok', 'listUsers', 1);
    (await waiting[1])?.release('ok', 'listUsers', 1);
    await waiting[0];
    expect(order).toEqual(['retry', 'new']);
  });

  it('gives a free place to the highest priority, and there to retries, then to who came first', async () => {
    const concurrency = new AdaptiveConcurrency(1);
    const first = await concurrency.acquire(never);
    const order: string[] = [];
    const ask = async (name: string, waiting: Waiting) => {
      const slot = await concurrency.acquire(never, waiting);
      order.push(name);
      slot.release('ok', 'listUsers', 1);
    };
    const asked = [
      ask('bulk', { priority: 'bulk' }),
      ask('sync', {}),
      ask('bulk again', { priority: 'bulk', ahead: true }),
      ask('live', { priority: 'live' }),
      ask('sync again', { priority: 'sync', ahead: true }),
      ask('live too', { priority: 'live' }),
    ];
    first.release('ok', 'listUsers', 1);
    await Promise.all(asked);
    expect(order).toEqual(['live', 'live too', 'sync again', 'sync', 'bulk again', 'bulk']);
  });

  it('lets a waiting request leave when its signal aborts, and gives its place to the next', async () => {
    const concurrency = new AdaptiveConcurrency(1);
    const first = await concurrency.acquire(never);
    const leaving = new AbortController();
    const left = concurrency.acquire(leaving.signal);
    const next = concurrency.acquire(never);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(concurrency.acquire(leaving.signal)).rejects.toThrow('gone');
    first.release('ok', 'listUsers', 1);
    await expect(next).resolves.toBeDefined();
  });
});

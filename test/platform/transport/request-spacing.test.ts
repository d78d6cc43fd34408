import { describe, expect, it } from 'vitest';
import { RequestSpacing, type SharedBudget } from '../../../src/platform/transport/request-spacing.ts';
import { sleep } from '../../../src/sleep.ts';

const never = new AbortController().signal;

function openPace(requestsPerSecond: number | undefined, budget?: SharedBudget) {
  let nowMs = 1_000_000;
  const waitsMs: number[] = [];
  const pace = new RequestSpacing(requestsPerSecond, {
    clock: () => nowMs,
    sleep: async (ms) => {
      waitsMs.push(ms);
      nowMs += budget === undefined ? 0 : ms;
    },
    budget,
  });
  return {
    pace,
    waitsMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('Pace', () => {
  it('spaces requests evenly and forgets unused time, so no burst follows a rest', async () => {
    const { pace, waitsMs, pass } = openPace(10);
    for (let count = 0; count < 3; count += 1) await pace.take(never);
    pass(5000);
    for (let count = 0; count < 3; count += 1) await pace.take(never);
    expect(waitsMs).toEqual([100, 200, 100, 200]);
  });

  it('waits for nothing without a cap', async () => {
    const { pace, waitsMs } = openPace(undefined);
    for (let count = 0; count < 3; count += 1) await pace.take(never);
    expect(waitsMs).toEqual([]);
  });

  it('asks for a request that was refused by a shared budget again, no sooner than that said', async () => {
    const replies = [300, 40, 0, 0];
    const { pace, waitsMs } = openPace(10, async () => replies.shift() ?? 0);
    await pace.take(never);
    await pace.take(never);
    // The budget asks for 300 and 40 ms. The 40 ms are less than the distance that this process keeps by
    // itself.
    expect(waitsMs).toEqual([300, 100, 100]);
    expect(replies).toEqual([]);
  });

  it('holds all requests back during a pause', async () => {
    const { pace, waitsMs, pass } = openPace(undefined);
    pace.pause(3000);
    await pace.take(never);
    pass(3000);
    await pace.take(never);
    expect(waitsMs).toEqual([3000]);
  });

  it('holds back during a pause what was waiting for its place before, and spaces it out behind', async () => {
    const { pace, waitsMs } = openPace(1);
    await pace.take(never);
    const waiting = [pace.take(never), pace.take(never)];
    pace.pause(5000);
    await Promise.all(waiting);
    expect(waitsMs).toEqual([1000, 2000, 5000, 6000]);
  });
});

describe('sleep', () => {
  it('ends early with the reason of its signal', async () => {
    const controller = new AbortController();
    const slept = sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
    await expect(sleep(60_000, controller.signal)).rejects.toThrow('enough');
  });
});

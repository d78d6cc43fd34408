import { expect, it } from 'vitest';
import { Remembered } from '../../../src/sync/status/remembered.ts';

it('keeps an answer that took long for longer, so that asking takes a bounded share of the time', async () => {
  let nowMs = 0;
  let asked = 0;
  const ask = async () => {
    nowMs += 10_000;
    return ++asked;
  };
  const remembered = new Remembered(ask, { maxAgeMs: 60_000, steadyMs: () => nowMs, mostShare: 0.05 });
  expect(await remembered.read()).toEqual({ answer: 1, ageMs: 0 });
  nowMs += 199_000;
  expect(await remembered.read()).toEqual({ answer: 1, ageMs: 199_000 });
  nowMs += 1_000;
  expect(await remembered.read()).toEqual({ answer: 2, ageMs: 0 });
});

import { mix, unit } from '../random.ts';
import type { Value } from '../values.ts';
import type { Points, Signal } from './signal.ts';

/** A signal whose sample `k` lies near `startMs + k * periodMs`. */
export interface Sampling {
  readonly hash: number;
  readonly startMs: number;
  readonly periodMs: number;
  /**
   * A sample comes up to this long after its nominal time. It is at most `periodMs`, so that the order holds.
   */
  readonly jitterMs?: number;
  /** The share of the samples that exist. The default is 1. */
  readonly share?: number;
  /** Whether there are outages, in which nothing is recorded. */
  readonly outages?: boolean;
  /** Whether one sample in 50 is recorded twice at the same time. The second value is the one that counts. */
  readonly twins?: boolean;
  readonly value: (index: number, timeMs: number) => Value;
}

const OUTAGE_BLOCK_MS = 21_600_000;
const TWIN_EVERY = 50;

/**
 * Returns the outage in a block of a quarter of a day. One block in eight has an outage of 5 to 65 minutes.
 */
function outageOf(hash: number, block: number): { from: number; to: number } | undefined {
  const dice = mix(hash, block);
  if (dice % 8 !== 0) return undefined;
  const from = block * OUTAGE_BLOCK_MS + unit(mix(dice, 1)) * (OUTAGE_BLOCK_MS - 3_900_000);
  return { from, to: from + 300_000 + unit(mix(dice, 2)) * 3_600_000 };
}

/**
 * Makes a function that tells whether a time is in an outage. It remembers the last block, since points come
 * in order.
 */
function outageCheck(hash: number): (timeMs: number) => boolean {
  let block = Number.NaN;
  let outage: { from: number; to: number } | undefined;
  return (timeMs) => {
    const itsBlock = Math.floor(timeMs / OUTAGE_BLOCK_MS);
    if (itsBlock !== block) {
      block = itsBlock;
      outage = outageOf(hash, block);
    }
    return outage !== undefined && timeMs >= outage.from && timeMs < outage.to;
  };
}

/** Makes the signal of a sampling. Any window is computed from its bounds alone. */
export function sampledSignal(sampling: Sampling): Signal {
  const { hash, startMs, periodMs, jitterMs = 0, share = 1, value } = sampling;
  return {
    read(fromMs, toMs, max) {
      const points: Points = { times: [], values: [] };
      const isOut = sampling.outages ? outageCheck(hash) : undefined;
      const first = Math.max(0, Math.ceil((fromMs - jitterMs - startMs) / periodMs));
      for (let index = first; points.times.length < max; index += 1) {
        const nominal = startMs + index * periodMs;
        if (nominal >= toMs) break;
        const dice = jitterMs > 0 || share < 1 ? mix(hash, index) : 0;
        const time = jitterMs > 0 ? nominal + (dice % jitterMs) : nominal;
        if (time < fromMs || time >= toMs) continue;
        if (share < 1 && unit(mix(dice, 7)) >= share) continue;
        if (isOut?.(time)) continue;
        points.times.push(time);
        points.values.push(value(index, time));
        if (sampling.twins && index % TWIN_EVERY === 0 && points.times.length < max) {
          points.times.push(time);
          points.values.push(value(index + 1, time));
        }
      }
      return points;
    },
  };
}

import { mix, pick, unit } from '../random.ts';
import type { Value } from '../values.ts';

/** Makes the function that computes a value of a series from its sample index and time. */
export type Shape = (hash: number, startMs: number) => (index: number, timeMs: number) => Value;

const DAY_MS = 86_400_000;
const turn = 2 * Math.PI;

/** Rounds as a transmitter with this many digits does: to 1 / `factor`. */
function round(value: number, factor: number): number {
  return Math.round(value * factor) / factor;
}

/** Returns a number that drifts between random knots, one per `spanMs`. */
function drift(hash: number, timeMs: number, spanMs: number): number {
  const place = timeMs / spanMs;
  const knot = Math.floor(place);
  const before = unit(mix(hash, knot));
  return before + (unit(mix(hash, knot + 1)) - before) * (place - knot);
}

/** A daily rhythm with drift and noise around `level`. */
export const rhythm =
  (level: number, swing: number): Shape =>
  (hash) => {
    const phase = unit(hash) * turn;
    return (index, time) => {
      const daily = Math.sin((time / DAY_MS) * turn + phase);
      const noise = unit(mix(hash, index)) - 0.5;
      return round(level + swing * (daily + drift(hash, time, 7_200_000) + 0.1 * noise), 100);
    };
  };

/** Fast noise with bursts from time to time. One sample in 1,000 is zero or negative. */
export const noise =
  (level: number): Shape =>
  (hash) =>
  (index, time) => {
    const dice = mix(hash, index);
    if (dice % 1000 === 0) return dice % 2000 === 0 ? 0 : -0.5;
    const burst = mix(hash, Math.floor(time / 1_800_000)) % 12 === 0 ? 4 : 1;
    return round(level * (1 + 0.05 * burst * (unit(mix(dice, 1)) - 0.5)), 1000);
  };

/** A level that fills in a ramp and empties at once. */
export const ramp =
  (full: number): Shape =>
  (hash) => {
    const cycleMs = 1_800_000 + (hash % 7_200_000);
    return (_index, time) => round((full * (time % cycleMs)) / cycleMs, 10);
  };

/** A set point that stays for hours. Its values are whole numbers and decimals. */
export const steps =
  (unitSize: number): Shape =>
  (hash) =>
  (_index, time) =>
    (mix(hash, Math.floor(time / 10_800_000)) % 40) * unitSize;

/** A counter that never falls. `offset` lifts it beyond the integers that a double holds. */
export const counter =
  (perHour: number, offset: bigint): Shape =>
  (hash, startMs) =>
  (_index, time) => {
    const hours = (time - startMs) / 3_600_000;
    const count = Math.floor(perHour * (hours + 0.2 * Math.sin(hours + hash)) + perHour);
    return offset === 0n ? count : offset + BigInt(count);
  };

/** The index of the sample. A missing sample shows at once. */
export const sequence: Shape = () => (index) => index;

/** True for most of the day. */
export const running: Shape = (hash) => (_index, time) => mix(hash, Math.floor(time / 2_400_000)) % 5 !== 0;

const states = ['运行', '停止', 'running', 'fault: "E-12", see \\manual', 'idle', ''] as const;

/** A text that changes from time to time. */
export const state: Shape = (hash) => (_index, time) => pick(states, mix(hash, Math.floor(time / 3_600_000)));

/** A text that is different each time. */
export const batch: Shape = (hash) => (index) => `B-${hash % 1000}-${index}`;

/** A text of a date. */
export const date: Shape = () => (_index, time) => new Date(Math.floor(time / DAY_MS) * DAY_MS).toISOString();

/** An object with members of several types, among them null. */
export const recipe: Shape = (hash) => (index) => ({
  id: index,
  name: `配方 ${hash % 10}`,
  steps: [round(unit(mix(hash, index)) * 100, 10), 5, null],
  approved: index % 2 === 0,
});

/** A shape in which one sample in 200 is no finite number. */
export const faulty =
  (shape: Shape): Shape =>
  (hash, startMs) => {
    const value = shape(hash, startMs);
    return (index, time) => {
      const dice = mix(hash, index + 5) % 600;
      return dice === 0
        ? Number.NaN
        : dice === 1
          ? null
          : dice === 2
            ? Number.POSITIVE_INFINITY
            : value(index, time);
    };
  };

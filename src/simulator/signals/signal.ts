import type { Value } from '../values.ts';

/** Points of one series, ascending in time. Times in epoch milliseconds, with a fraction for microseconds. */
export interface Points {
  readonly times: number[];
  readonly values: Value[];
}

/** Where the points of a series come from. */
export interface Signal {
  /** The points of `[fromMs, toMs)`, at most the first `max` of them. */
  read(fromMs: number, toMs: number, max: number): Points;
  /** The last `count` points of `[fromMs, toMs)`, where they can be had without reading those before them. */
  readLast?(fromMs: number, toMs: number, count: number): Points;
}

const FIRST_SPAN_MS = 600_000;

/**
 * The last `count` points of `[fromMs, toMs)`, ascending; looks back in spans that double, so the range may
 * be long.
 */
export function readLast(signal: Signal, fromMs: number, toMs: number, count: number): Points {
  if (signal.readLast) return signal.readLast(fromMs, toMs, count);
  const times: number[][] = [];
  const values: Value[][] = [];
  let found = 0;
  let end = toMs;
  for (let span = FIRST_SPAN_MS; end > fromMs && found < count; span *= 2) {
    const start = Math.max(fromMs, end - span);
    const points = signal.read(start, end, Number.POSITIVE_INFINITY);
    times.push(points.times);
    values.push(points.values);
    found += points.times.length;
    end = start;
  }
  if (count <= 0) return { times: [], values: [] };
  return { times: times.reverse().flat().slice(-count), values: values.reverse().flat().slice(-count) };
}

/**
 * A signal as it is seen at an instant: nothing lies in the future, and one point in four shows only `lateMs`
 * after its time.
 */
export function seenAt(signal: Signal, nowMs: number, lateMs: number): Signal {
  const endMs = nowMs + 0.001;
  if (lateMs <= 0) {
    const read: Signal['read'] = (from, to, max) => signal.read(from, Math.min(to, endMs), max);
    if (!signal.readLast) return { read };
    return { read, readLast: (from, to, count) => readLast(signal, from, Math.min(to, endMs), count) };
  }
  const settledMs = endMs - lateMs;
  return {
    read(from, to, max) {
      const points = signal.read(from, Math.min(to, settledMs), max);
      const recent = signal.read(Math.max(from, settledMs), Math.min(to, endMs), Number.POSITIVE_INFINITY);
      recent.times.forEach((time, index) => {
        if (Math.floor(time / 1000) % 4 === 0 || points.times.length >= max) return;
        points.times.push(time);
        points.values.push(recent.values[index] ?? null);
      });
      return points;
    },
  };
}

import type { Value } from '../values.ts';

/**
 * Points of one series, ascending in time. Times are epoch milliseconds, with a fraction for microseconds.
 */
export interface Points {
  readonly times: number[];
  readonly values: Value[];
}

/** The source of the points of a series. */
export interface Signal {
  /** Returns the points of `[fromMs, toMs)`, at most the first `max` of them. */
  read(fromMs: number, toMs: number, max: number): Points;
  /**
   * Returns the last `count` points of `[fromMs, toMs)`. A signal has this only if it need not read earlier
   * points.
   */
  readLast?(fromMs: number, toMs: number, count: number): Points;
}

const FIRST_SPAN_MS = 600_000;

/**
 * Returns the last `count` points of `[fromMs, toMs)`, ascending. It looks back in spans that double, so the
 * range may be long.
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
 * Returns a signal as it is seen at an instant. Points in the future are not seen. Three points in four are
 * seen at once, and one in four only `lateMs` after its time.
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

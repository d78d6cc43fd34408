import type { Range, Series } from './types.ts';

/** Some series over whole epoch seconds `[fromSec, toSec)`. */
export interface Window {
  readonly series: readonly Series[];
  readonly fromSec: number;
  readonly toSec: number;
  /** Both bounds, and those of every part of it, are multiples of so many seconds: a bucket is never cut. One if not given. */
  readonly stepSec?: number | undefined;
}

/** The stretch of a window in epoch microseconds. */
export function rangeOf({ fromSec, toSec }: Pick<Window, 'fromSec' | 'toSec'>): Range {
  return { from: fromSec * 1e6, to: toSec * 1e6 };
}

/** Seconds of a window. */
export function spanOf(window: Window): number {
  return window.toSec - window.fromSec;
}

/** Seconds of a window, for each of its series. */
export function seriesSecOf(window: Window): number {
  return window.series.length * spanOf(window);
}

/**
 * The most requests that reading a window may take, whatever the platform does: 32 + 4 · depth · (series + rows
 * received). A row that is read on by `offset` counts once more. Depth is how often it can be halved: 1 + log2(series)
 * + log2(steps). Honest platforms stay far below.
 */
export function requestsAllowed(window: Window, rows: number): number {
  const { series, stepSec = 1 } = window;
  const steps = Math.max(1, spanOf(window) / stepSec);
  const depth = 1 + Math.log2(Math.max(1, series.length)) + Math.log2(steps);
  return 32 + 4 * depth * (series.length + rows);
}

/** Two halves in time; undefined where there is but one second, or bucket. */
export function divideTime(window: Window): [Window, Window] | undefined {
  const { stepSec = 1 } = window;
  if (spanOf(window) <= stepSec) return undefined;
  const middle = window.fromSec + Math.ceil(spanOf(window) / stepSec / 2) * stepSec;
  return [
    { ...window, toSec: middle },
    { ...window, fromSec: middle },
  ];
}

/** Two halves by series; undefined where there is but one. */
export function divideSeries(window: Window): [Window, Window] | undefined {
  if (window.series.length <= 1) return undefined;
  const middle = Math.ceil(window.series.length / 2);
  return [
    { ...window, series: window.series.slice(0, middle) },
    { ...window, series: window.series.slice(middle) },
  ];
}

/** The smallest questions that a window holds: single seconds, or buckets, of its first, middle and last series. */
export function sampleSeconds(window: Window): Window[] {
  const { series, fromSec, toSec, stepSec = 1 } = window;
  return [0, 0.5, 1].map((share) => {
    const at = Math.round((series.length - 1) * share);
    const steps = Math.floor((spanOf(window) / stepSec) * share);
    const second = Math.min(toSec - stepSec, fromSec + steps * stepSec);
    return { ...window, series: series.slice(at, at + 1), fromSec: second, toSec: second + stepSec };
  });
}

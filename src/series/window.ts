import type { Range, Series } from './types.ts';

/** Some series over a range of whole epoch seconds `[fromSec, toSec)`. */
export interface Window {
  readonly series: readonly Series[];
  readonly fromSec: number;
  readonly toSec: number;
  /**
   * Both bounds, and those of every part of the window, are multiples of this many seconds. So no bucket is
   * cut. The default is 1.
   */
  readonly stepSec?: number | undefined;
}

/** Returns the range of a window in epoch microseconds. */
export function rangeOf({ fromSec, toSec }: Pick<Window, 'fromSec' | 'toSec'>): Range {
  return { from: fromSec * 1e6, to: toSec * 1e6 };
}

/** Returns the length of a window in seconds. */
export function spanOf(window: Window): number {
  return window.toSec - window.fromSec;
}

/** Returns the seconds of a window times its number of series. */
export function seriesSecOf(window: Window): number {
  return window.series.length * spanOf(window);
}

/**
 * Returns the most requests that reading a window may take, whatever the platform does: 32 + 4 · depth ·
 * (series + rows received). Depth is how often the window can be halved: 1 + log2(series) + log2(steps). A
 * row counts once, however often it comes. Honest platforms stay far below.
 */
export function requestsAllowed(window: Window, rows: number): number {
  const { series, stepSec = 1 } = window;
  const steps = Math.max(1, spanOf(window) / stepSec);
  const depth = 1 + Math.log2(Math.max(1, series.length)) + Math.log2(steps);
  return 32 + 4 * depth * (series.length + rows);
}

/** Halves a window in time. Returns undefined for a window of one second, or of one bucket. */
export function divideTime(window: Window): [Window, Window] | undefined {
  const { stepSec = 1 } = window;
  if (spanOf(window) <= stepSec) return undefined;
  const middle = window.fromSec + Math.ceil(spanOf(window) / stepSec / 2) * stepSec;
  return [
    { ...window, toSec: middle },
    { ...window, fromSec: middle },
  ];
}

/** Halves a window by its series. Returns undefined for a window of one series. */
export function divideSeries(window: Window): [Window, Window] | undefined {
  if (window.series.length <= 1) return undefined;
  const middle = Math.ceil(window.series.length / 2);
  return [
    { ...window, series: window.series.slice(0, middle) },
    { ...window, series: window.series.slice(middle) },
  ];
}

/**
 * Returns three of the smallest windows inside a window: one second (or bucket) of its first, middle and last
 * series.
 */
export function sampleSeconds(window: Window): Window[] {
  const { series, fromSec, toSec, stepSec = 1 } = window;
  return [0, 0.5, 1].map((share) => {
    const at = Math.round((series.length - 1) * share);
    const steps = Math.floor((spanOf(window) / stepSec) * share);
    const second = Math.min(toSec - stepSec, fromSec + steps * stepSec);
    return { ...window, series: series.slice(at, at + 1), fromSec: second, toSec: second + stepSec };
  });
}

import type { PointBatch } from '../../../src/load/stores/store.ts';
import type { Series, SeriesPoints } from '../../../src/series/types.ts';

/** A point for tests: epoch microseconds, then a number or a text or null. */
export type TestPoint = readonly [timeUs: number, value: number | string | null];

/** Points of a series as the stores take them. */
export function seriesPoints(series: Partial<Series>, points: readonly TestPoint[]): SeriesPoints {
  return {
    series: { id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double', ...series },
    times: points.map(([time]) => time),
    values: points.map(([, value]) => (typeof value === 'number' ? value : null)),
    texts: points.map(([, value]) => (typeof value === 'string' ? value : null)),
    qualities: points.map(([, value]) => (value === null ? 'null' : null)),
  };
}

/** `count` points one second apart, valued 0, 1, 2, …. */
export function secondsFrom(timeUs: number, count: number): TestPoint[] {
  return Array.from({ length: count }, (_, i) => [timeUs + i * 1_000_000, i]);
}

export function batchOf(...series: SeriesPoints[]): PointBatch {
  return { stream: 'history', range: { from: 0, to: 1 }, series, fresh: true };
}

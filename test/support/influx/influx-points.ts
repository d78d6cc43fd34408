import type { PointBatch } from '../../../src/load/stores/store.ts';
import type { Series, SeriesPoints } from '../../../src/series/types.ts';

/** A point for tests: its time in epoch microseconds, then a number, a text or null. */
export type TestPoint = readonly [timeUs: number, value: number | string | null];

/** Makes points of a series in the form that stores take. */
export function seriesPoints(series: Partial<Series>, points: readonly TestPoint[]): SeriesPoints {
  return {
    series: { id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double', ...series },
    times: points.map(([time]) => time),
    values: points.map(([, value]) => (typeof value === 'number' ? value : null)),
    texts: points.map(([, value]) => (typeof value === 'string' ? value : null)),
    qualities: points.map(([, value]) => (value === null ? 'null' : null)),
  };
}

/** Makes `count` points, one second apart, with the values 0, 1, 2, …. */
export function secondsFrom(timeUs: number, count: number): TestPoint[] {
  return Array.from({ length: count }, (_, i) => [timeUs + i * 1_000_000, i]);
}

export function batchOf(...series: SeriesPoints[]): PointBatch {
  return { stream: 'history', range: { from: 0, to: 1 }, series, fresh: true };
}

/**
 * The words of time series. Times are epoch **microseconds** unless a name ends in `Sec` or `Ms`. A double
 * holds them exactly up to the year 2255.
 */

/** A half-open range `[from, to)` of epoch microseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One property of one object. `id` is the key of `plant.series`. */
export interface Series {
  readonly id: number;
  readonly object: string;
  readonly property: string;
  /** The `primitiveType` that the platform declares. Null if the property is not in any list. */
  readonly primitiveType: string | null;
}

/** Returns the name by which the runtime operations know a series: `object.property`. */
export function seriesName(series: Pick<Series, 'object' | 'property'>): string {
  return `${series.object}.${series.property}`;
}

/** Raw rows of one series as the platform sent them, with parsed times. The two arrays have equal length. */
export interface RawRows {
  /** Epoch microseconds, in the order received. */
  readonly times: readonly number[];
  /**
   * JSON values as received: number, string, boolean, bigint, null, object or array. `undefined` marks a row
   * that is no point, but counts for the size of the reply. Such a row pads a row that other series share, or
   * its time is unreadable (NaN).
   */
  readonly values: readonly unknown[];
}

/** Why a point has no plain value of its declared type. Null for an ordinary point. */
export type Quality = 'null' | 'nan' | 'infinity' | 'mistyped' | 'replaced' | null;

/** Typed points of one series, with ascending and unique times. All arrays have equal length. */
export interface SeriesPoints {
  readonly series: Series;
  /** Epoch microseconds. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  readonly texts: readonly (string | null)[];
  readonly qualities: readonly Quality[];
}

/**
 * The words of time series. Times are epoch **microseconds** (a double is exact for them up to the year 2255)
 * unless a name ends in `Sec` or `Ms`.
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
  /** The declared `primitiveType` of the platform, or null where the property is not in any list. */
  readonly primitiveType: string | null;
}

/** The name under which the runtime operations know a series: `object.property`. */
export function seriesName(series: Pick<Series, 'object' | 'property'>): string {
  return `${series.object}.${series.property}`;
}

/** Raw rows of one series as the platform sent them, times parsed. The two arrays have equal length. */
export interface RawRows {
  /** Epoch microseconds, in the order received. */
  readonly times: readonly number[];
  /**
   * The JSON value received: number, string, boolean, bigint, null, object or array. `undefined` marks a row that is no point, yet counts
   * for the size of the reply: padding of a row that other series share, or a row whose time cannot be read (its time is NaN).
   */
  readonly values: readonly unknown[];
}

/** Why a point has no plain value of its declared type; null for an ordinary point. */
export type Quality = 'null' | 'nan' | 'infinity' | 'mistyped' | 'replaced' | null;

/** Typed points of one series, ascending and unique in time. All arrays have equal length. */
export interface SeriesPoints {
  readonly series: Series;
  /** Epoch microseconds. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  readonly texts: readonly (string | null)[];
  readonly qualities: readonly Quality[];
}

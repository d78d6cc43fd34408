import { encodeTag } from '../../../src/load/stores/influx/line-protocol.ts';
import { type InfluxOptions, resolveInfluxOptions } from '../../../src/load/stores/influx/options.ts';
import {
  type InfluxTable,
  openInfluxHttp,
  quoteIdentifier,
  quoteText,
} from '../../../src/load/stores/influx/query-client.ts';
import type { Range, Series } from '../../../src/series/types.ts';

type NamedSeries = Pick<Series, 'object' | 'property'>;

/** The stored points of one series, ascending in time. All arrays have equal length. */
export interface StoredPoints {
  /** The times in epoch microseconds. */
  readonly times: number[];
  readonly values: (number | null)[];
  readonly texts: (string | null)[];
}

export interface SeriesTotals {
  /** The number of points that have a number. */
  readonly values: number;
  /** The number of points that have a text. */
  readonly texts: number;
  /** The sum of the numbers. Null without numbers. */
  readonly sum: number | null;
}

/**
 * Reads stored points by InfluxQL over `/query`, which 1.x has (and 2.x for databases that are mapped to
 * buckets).
 */
export interface InfluxReader {
  points(series: NamedSeries, range: Range): Promise<StoredPoints>;
  totals(series: NamedSeries, range: Range): Promise<SeriesTotals>;
  /** Reads the totals over all series of the measurement. */
  totalsOfAll(range: Range): Promise<SeriesTotals>;
  close(): Promise<void>;
}

/** Opens a reader of the history, or of another `measurement`. Ranges are half-open. */
export function openInfluxReader(options: InfluxOptions, measurement?: string): InfluxReader {
  const target = resolveInfluxOptions(options);
  const http = openInfluxHttp(target);
  const policy = options.retentionPolicy === undefined ? '' : `${quoteIdentifier(options.retentionPolicy)}.`;
  const source = `${policy}${quoteIdentifier(measurement ?? target.measurement)}`;
  const select = (what: string, range: Range, series?: NamedSeries): Promise<InfluxTable[]> => {
    const tags = Object.entries({
      ...target.tags,
      ...(series && { object: series.object, property: series.property }),
    });
    const conditions = [
      ...tags
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${quoteIdentifier(name)} = ${quoteText(encodeTag(value))}`),
      `time >= ${range.from}u`,
      `time < ${range.to}u`,
    ];
    return http.query(`SELECT ${what} FROM ${source} WHERE ${conditions.join(' AND ')}`);
  };
  const totals = async (range: Range, series?: NamedSeries): Promise<SeriesTotals> => {
    const [table] = await select('count("value"), count("text"), sum("value")', range, series);
    const [, values, texts, sum] = (table?.rows[0] ?? []) as (number | null)[];
    return { values: values ?? 0, texts: texts ?? 0, sum: sum ?? null };
  };
  return {
    async points(series, range) {
      const [table] = await select('"value", "text"', range, series);
      const rows = (table?.rows ?? []) as [number, number | null, string | null][];
      return {
        times: rows.map((row) => row[0]),
        values: rows.map((row) => row[1]),
        texts: rows.map((row) => row[2]),
      };
    },
    totals: (series, range) => totals(range, series),
    totalsOfAll: (range) => totals(range),
    close: () => http.close(),
  };
}

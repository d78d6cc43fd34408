import { Writable } from 'node:stream';
import type { PoolClient } from 'pg';
import { Breaks } from '../../src/breaks.ts';
import { copyIn } from '../../src/load/copy/copy-in.ts';
import { encodePoints } from '../../src/load/copy/encode.ts';
import { createInfluxStore } from '../../src/load/stores/influx/create-store.ts';
import { silentLog } from '../../src/log.ts';
import { normalizePoints } from '../../src/normalize/normalize-points.ts';
import { PointComparison } from '../../src/series/compare-points.ts';
import type { RowsBySeries } from '../../src/series/rows.ts';
import type { Series, SeriesPoints } from '../../src/series/types.ts';
import { rangeOf, type Window } from '../../src/series/window.ts';

/** The number of points in one part of a store's answer. */
const PART = 10_000;

/** A session whose server accepts everything. */
const takesAll = {
  query: () =>
    Object.assign(new Writable({ write: (_chunk, _encoding, done) => setImmediate(done) }), { rowCount: 0 }),
} as unknown as PoolClient;

/**
 * Does everything that happens to the rows of a window. It encodes them for Postgres, writes them to an
 * InfluxDB at `url` that accepts everything, and verifies them.
 */
export async function storePoints(window: Window, rows: RowsBySeries, url: string): Promise<void> {
  const store = createInfluxStore({ url, version: 1, database: 'points' }, silentLog);
  try {
    const breaks = new Breaks();
    const series: SeriesPoints[] = [];
    for (const each of window.series) series.push(await normalize(each, rows, breaks));
    await copyIn(takesAll, 'points', encodePoints(series));
    await store.write(
      { stream: 'history', range: rangeOf(window), series, fresh: true },
      async () => undefined,
    );
    for (const points of series) {
      const held = await store.held('history', points);
      const comparison = new PointComparison(held);
      for (let from = 0; from < held.times.length; from += PART) {
        await new Promise(setImmediate);
        comparison.push(cut(held, from, from + PART));
      }
      comparison.finish();
    }
  } finally {
    await store.close();
  }
}

async function normalize(series: Series, rows: RowsBySeries, breaks: Breaks): Promise<SeriesPoints> {
  return (await normalizePoints(series, rows.get(series.id) ?? { times: [], values: [] }, breaks)).points;
}

function cut(
  { series, times, values, texts, qualities }: SeriesPoints,
  from: number,
  to: number,
): SeriesPoints {
  return {
    series,
    times: times.slice(from, to),
    values: values.slice(from, to),
    texts: texts.slice(from, to),
    qualities: qualities.slice(from, to),
  };
}

import type { PoolClient } from 'pg';
import type { Database } from '../../../postgres/connect.ts';
import { asStoreError } from '../../../postgres/postgres-errors.ts';
import { timestamptzText } from '../../../postgres/type-parsers.ts';
import type { Quality, Range, Series, SeriesPoints } from '../../../series/types.ts';
import type { PointPage } from '../store.ts';

/** The number of rows fetched at once. */
const FETCH_ROWS = 5_000;

type Row = [seriesId: number, at: number, value: number | null, text: string | null, quality: Quality];

/**
 * Reads the points of `source` (quoted) through a cursor, by series and time. Each part holds points of one
 * series.
 */
export async function* readPoints(
  db: Database,
  source: string,
  { series, range }: { series: readonly Series[]; range: Range },
): AsyncGenerator<SeriesPoints> {
  const byId = new Map(series.map((each) => [each.id, each]));
  const client = await db.connect();
  let usable = false;
  try {
    await client.query('begin read only');
    await client.query(
      `declare stored no scroll cursor for select series_id, at, value, text, quality from ${source}
       where series_id = any($1::bigint[]) and at >= $2 and at < $3 order by series_id, at`,
      [[...byId.keys()], timestamptzText(range.from), timestamptzText(range.to)],
    );
    for (let rows = await fetch(client); rows.length > 0; rows = await fetch(client))
      yield* partsOf(rows, byId);
    await client.query('commit');
    usable = true;
  } catch (error) {
    throw asStoreError(error, `reading ${source}`);
  } finally {
    // A cursor that was not read to its end is closed with its connection.
    client.release(!usable);
  }
}

/** Reads one page of the points of a series from `source` (quoted). */
export async function readPage(
  db: Database,
  source: string,
  { series, range, order, limit }: PointPage,
): Promise<SeriesPoints> {
  const direction = order === 'newest first' ? 'desc' : 'asc';
  const { rows } = await db.query<Record<'at' | 'value' | 'text' | 'quality', never>>(
    `select at, value, text, quality from ${source}
     where series_id = $1 and at >= $2 and at < $3 order by at ${direction} limit $4`,
    [series.id, timestamptzText(range.from), timestamptzText(range.to), limit],
  );
  return {
    series,
    times: rows.map((row) => row.at),
    values: rows.map((row) => row.value),
    texts: rows.map((row) => row.text),
    qualities: rows.map((row) => row.quality),
  };
}

async function fetch(client: PoolClient): Promise<Row[]> {
  const { rows } = await client.query<Row>({
    text: `fetch forward ${FETCH_ROWS} from stored`,
    rowMode: 'array',
  });
  return rows;
}

/** Points of one series that are being read. */
interface Part {
  readonly series: Series;
  readonly times: number[];
  readonly values: (number | null)[];
  readonly texts: (string | null)[];
  readonly qualities: Quality[];
}

function* partsOf(rows: readonly Row[], byId: ReadonlyMap<number, Series>): Generator<SeriesPoints> {
  let part: Part | undefined;
  for (const [id, at, value, text, quality] of rows) {
    if (part?.series.id !== id) {
      if (part !== undefined) yield part;
      const series = byId.get(id);
      part = series && { series, times: [], values: [], texts: [], qualities: [] };
    }
    part?.times.push(at);
    part?.values.push(value);
    part?.texts.push(text);
    part?.qualities.push(quality);
  }
  if (part !== undefined) yield part;
}

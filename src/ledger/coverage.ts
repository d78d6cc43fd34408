import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';
import { rangesFromJson, rangesJson, rangesText, rangeText } from './range-text.ts';
import type { Schemas } from './schemas.ts';

/** One half-open range of some series of a stream in a store. */
export interface CoverageChange {
  /** Identity of the store, as `PointStore.id`. */
  readonly store: string;
  /** Name of the stream, with its aggregate if it has one: `history`, `history/300s/mean`. */
  readonly stream: string;
  readonly seriesIds: readonly number[];
  readonly range: Range;
}

export interface GapQuestion {
  readonly stream: string;
  readonly stores: readonly string[];
  readonly seriesIds: readonly number[];
  /** The ranges that each of the series shall have. */
  readonly wanted: readonly Range[];
}

/** Series that lack exactly the same ranges. */
export interface GapGroup {
  /** Ascending. */
  readonly seriesIds: number[];
  /** What is missing in each store, in the order of the stores that were asked for; ascending, disjoint. */
  readonly gaps: Range[][];
}

/** How far some series are in one store. Series of which nothing is covered are not in it. */
export interface CoverageHead {
  readonly store: string;
  /** Of each series the newest covered instant, and of these the oldest; epoch microseconds. */
  readonly oldest: number;
  /** Series whose newest covered instant is later than the one asked for, or that one. */
  readonly abreast: number;
}

export interface Coverage {
  /** Notes that the range is stored. Pass the transaction of the rows, so that both are there or neither. */
  add(change: CoverageChange, tx?: Queryable): Promise<void>;
  /** Forgets that the range is stored, so that it is read again. */
  remove(change: CoverageChange, tx?: Queryable): Promise<void>;
  /** What is wanted and not covered, grouped by equal gaps; series without a gap in any store are left out. */
  readGaps(question: GapQuestion): Promise<GapGroup[]>;
  /** Everything covered, by series; a series that was never covered is not in the map. */
  read(question: {
    store: string;
    stream: string;
    seriesIds: readonly number[];
  }): Promise<Map<number, Range[]>>;
  /** How far the series are in each store; `abreastOf` is an instant in epoch microseconds. */
  readHeads(question: {
    stream: string;
    stores: readonly string[];
    seriesIds: readonly number[];
    abreastOf: number;
  }): Promise<CoverageHead[]>;
  /** Forgets everything that is said of a store: it was made anew, so nothing is in it. */
  forgetStore(store: string): Promise<void>;
  /** Forgets a stream and its aggregates, in one store or in all; resolves to the number of rows forgotten. The data stays. */
  forget(stream: string, store?: string): Promise<number>;
  /** The stores of which something is said, of a stream or its aggregates. */
  listStores(stream: string): Promise<string[]>;
}

/** Which ranges of which series are in which store: the one checkpoint of everything incremental. */
export function createCoverage(db: Database, schemas: Schemas): Coverage {
  const table = quoteTable(schemas.ledger, 'coverage');
  return {
    async add(change, tx = db) {
      // Sorted, so that two writers of the same series lock their rows in the same order and cannot deadlock.
      await tx.query(
        `insert into ${table} as c (store, stream, series_id, covered)
         select $1, $2, id, tstzmultirange($4::tstzrange)
         from unnest($3::bigint[]) as asked (id) order by id
         on conflict (store, stream, series_id) do update set covered = c.covered + excluded.covered
         where not c.covered @> excluded.covered`,
        [change.store, change.stream, idsText(change.seriesIds), rangeText(change.range)],
      );
    },

    async remove(change, tx = db) {
      await tx.query(
        `with locked as materialized (
           select series_id from ${table} join unnest($3::bigint[]) as asked (id) on series_id = id
           where store = $1 and stream = $2 and covered && $4::tstzrange
           order by series_id for update of coverage)
         update ${table} as c set covered = c.covered - tstzmultirange($4::tstzrange)
         from locked where c.store = $1 and c.stream = $2 and c.series_id = locked.series_id`,
        [change.store, change.stream, idsText(change.seriesIds), rangeText(change.range)],
      );
    },

    readGaps: (question) => readGaps(db, table, question),

    async read({ store, stream, seriesIds }) {
      const { rows } = await db.query(
        `select series_id, ${rangesJson('covered')} as covered
         from ${table} join unnest($3::bigint[]) as asked (id) on series_id = id
         where store = $1 and stream = $2`,
        [store, stream, idsText(seriesIds)],
      );
      return new Map(rows.map((row) => [row.series_id as number, rangesFromJson(row.covered)]));
    },

    async readHeads({ stream, stores, seriesIds, abreastOf }) {
      const { rows } = await db.query(
        `select store, min(upper(covered)) as oldest,
                count(*) filter (where upper(covered) >= $4::timestamptz)::int as abreast
         from ${table} join unnest($3::bigint[]) as asked (id) on series_id = id
         where stream = $1 and store = any($2::text[]) and not isempty(covered) group by store`,
        [stream, stores, idsText(seriesIds), timestamptzText(abreastOf)],
      );
      return rows as unknown as CoverageHead[];
    },

    async forgetStore(store) {
      await db.query(`delete from ${table} where store = $1`, [store]);
    },

    async forget(stream, store) {
      const { rowCount } = await db.query(
        `delete from ${table} where (stream = $1 or starts_with(stream, $1 || '/')) and ($2::text is null or store = $2)`,
        [stream, store ?? null],
      );
      return rowCount ?? 0;
    },

    async listStores(stream) {
      const { rows } = await db.query(
        `select distinct store from ${table} where stream = $1 or starts_with(stream, $1 || '/') order by store`,
        [stream],
      );
      return rows.map((row) => row.store as string);
    },
  };
}

async function readGaps(db: Database, table: string, question: GapQuestion): Promise<GapGroup[]> {
  const { stores } = question;
  const perStore = (sql: (i: number) => string, between: string) =>
    stores.map((_, i) => sql(i)).join(between);
  if (stores.length === 0) return [];
  const { rows } = await db.query(
    `with gap as (
       select id, ${perStore((i) => `$3::tstzmultirange - coalesce(c${i}.covered, '{}') as gap${i}`, ', ')}
       from unnest($2::bigint[]) as asked (id)
       ${perStore((i) => `left join ${table} as c${i} on c${i}.store = $${i + 4} and c${i}.stream = $1 and c${i}.series_id = id`, '\n')}),
     grouped as (
       select array_to_json(array_agg(id)) as ids, min(id) as first, ${perStore((i) => `gap${i}`, ', ')}
       from gap where not (${perStore((i) => `isempty(gap${i})`, ' and ')})
       group by ${perStore((i) => `gap${i}`, ', ')})
     select ids, ${perStore((i) => `${rangesJson(`gap${i}`)} as gap${i}`, ', ')} from grouped order by first`,
    [question.stream, idsText(question.seriesIds), rangesText(question.wanted), ...stores],
  );
  return rows.map((row) => ({
    seriesIds: (row.ids as number[]).sort((a, b) => a - b),
    gaps: stores.map((_, i) => rangesFromJson(row[`gap${i}`])),
  }));
}

/** The distinct ids as an array literal; far cheaper for 100,000 than the driver's own quoting of every element. */
function idsText(ids: readonly number[]): string {
  return `{${[...new Set(ids)].join(',')}}`;
}

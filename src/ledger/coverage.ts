import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import { prepared, type Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import type { Range } from '../series/types.ts';
import { type GapGroup, type GapQuestion, gapGroupsOf, gapsSql, gapValues, idsText } from './gaps-sql.ts';
import { rangesFromJson, rangesJson, rangeText } from './range-text.ts';

/** One half-open range of some series of a stream in a store. */
export interface CoverageChange {
  /** Identity of the store, as `PointStore.id`. */
  readonly store: string;
  /** Name of the stream, with its aggregate if it has one: `history`, `history/300s/mean`. */
  readonly stream: string;
  readonly seriesIds: readonly number[];
  readonly range: Range;
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
  // Sorted, so that two writers of the same series lock their rows in the same order and cannot deadlock.
  const addition = prepared(
    `insert into ${table} as c (store, stream, series_id, covered)
     select $1, $2, id, tstzmultirange($4::tstzrange)
     from unnest($3::bigint[]) as asked (id) order by id
     on conflict (store, stream, series_id) do update set covered = c.covered + excluded.covered
     where not c.covered @> excluded.covered`,
  );
  return {
    async add({ store, stream, seriesIds, range }, tx = db) {
      await tx.query(addition, [store, stream, idsText(seriesIds), rangeText(range)]);
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
  if (question.stores.length === 0) return [];
  const { rows } = await db.query(gapsSql(table, question.stores.length), gapValues(question));
  return gapGroupsOf(rows);
}

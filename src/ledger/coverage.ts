import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import { prepared, type Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import type { Range } from '../series/types.ts';
import { askShapes, type SummedSeries, shapesSql, summedValue } from './coverage-shapes-sql.ts';
import { type CoverageSums, createCoverageSums } from './coverage-sums.ts';
import { type GapGroup, type GapQuestion, gapGroupsOf, gapsSql, gapValues, idsText } from './gaps-sql.ts';
import { createCoverageMarks } from './mark-coverage.ts';
import { rangesFromJson, rangesJson, rangeText } from './range-text.ts';
import { type GapSum, type GapSumQuestion, sumGaps } from './sum-gaps.ts';

/** One half-open range of some series of a stream in a store. */
export interface CoverageChange {
  /** Identity of the store, as `PointStore.id`. */
  readonly store: string;
  /** Name of the stream, with its aggregate if it has one: `history`, `history/300s/mean`. */
  readonly stream: string;
  readonly seriesIds: readonly number[];
  readonly range: Range;
}

/**
 * How far coverage reaches for some series in one store. Series without coverage are left out of all
 * numbers.
 */
export interface CoverageHead {
  readonly store: string;
  /** The newest covered instant of the series that is furthest behind, in epoch microseconds. */
  readonly oldest: number;
  /** Number of series with coverage. */
  readonly covered: number;
  /** Number of series that are covered up to the instant asked for, or further. */
  readonly abreast: number;
}

export interface Coverage extends CoverageSums {
  /**
   * Notes that the range is stored. Pass the transaction of the rows, so that both are written or neither.
   */
  add(change: CoverageChange, tx?: Queryable): Promise<void>;
  /** Forgets that the range is stored, so that the range is read again. */
  remove(change: CoverageChange, tx?: Queryable): Promise<void>;
  /**
   * Returns what is wanted and not covered, grouped by equal gaps. Series without a gap in any store are left
   * out.
   */
  readGaps(question: GapQuestion): Promise<GapGroup[]>;
  /** Adds up what is wanted and not covered in one store. */
  sumGaps(question: GapSumQuestion): Promise<GapSum>;
  /** Returns all covered ranges by series. A series that was never covered is not in the map. */
  read(
    question: { store: string; stream: string; seriesIds: readonly number[] },
    tx?: Queryable,
  ): Promise<Map<number, Range[]>>;
  /** Returns how far the series are in each store. `abreastOf` is an instant in epoch microseconds. */
  readHeads(question: {
    stream: string;
    stores: readonly string[];
    series: SummedSeries;
    abreastOf: number;
  }): Promise<CoverageHead[]>;
  /** Forgets all coverage of a store, because the store was made again and is empty. */
  forgetStore(store: string): Promise<void>;
  /**
   * Forgets the coverage of a stream and its aggregates, in one store or in all. Resolves to the number of
   * rows forgotten. The data stays.
   */
  forget(stream: string, store?: string): Promise<number>;
  /** Lists the stores that have coverage of a stream or of its aggregates. */
  listStores(stream: string): Promise<string[]>;
}

/**
 * Makes the part of the ledger that knows which ranges of which series are in which store. Everything that
 * fills gaps goes by coverage alone.
 */
export function createCoverage(db: Database, schemas: Schemas): Coverage {
  const table = quoteTable(schemas.ledger, 'coverage');
  const tables = {
    coverage: table,
    shapes: quoteTable(schemas.ledger, 'coverage_shapes'),
    changes: quoteTable(schemas.ledger, 'coverage_shape_changes'),
  };
  const marks = createCoverageMarks(schemas);
  // The ids are sorted, so that two writers of the same series lock rows in the same order and cannot
  // deadlock.
  const addition = `insert into ${table} as c (store, stream, series_id, covered)
     select $1, $2, id, tstzmultirange($4::tstzrange)
     from unnest($3::bigint[]) as asked (id) order by id
     on conflict (store, stream, series_id) do update set covered = c.covered + excluded.covered
     where not c.covered @> excluded.covered`;
  const plainAddition = prepared(addition);
  const markedAddition = prepared(marks.withAdded(`${addition} returning series_id`, '$4::tstzrange'));
  return {
    ...createCoverageSums(db, table),

    async add({ store, stream, seriesIds, range }, tx = db) {
      const statement = marks.concern(store, stream) ? markedAddition : plainAddition;
      await tx.query(statement, [store, stream, idsText(seriesIds), rangeText(range)]);
    },

    async remove({ store, stream, seriesIds, range }, tx = db) {
      const removal = `with locked as materialized (
           select series_id from ${table} join unnest($3::bigint[]) as asked (id) on series_id = id
           where store = $1 and stream = $2 and covered && $4::tstzrange
           order by series_id for update of coverage)
         update ${table} as c set covered = c.covered - tstzmultirange($4::tstzrange)
         from locked where c.store = $1 and c.stream = $2 and c.series_id = locked.series_id`;
      const statement = marks.concern(store, stream)
        ? marks.withRemoved(`${removal} returning c.series_id`, '$4::tstzrange')
        : removal;
      await tx.query(statement, [store, stream, idsText(seriesIds), rangeText(range)]);
    },

    readGaps: (question) => readGaps(db, table, question),
    sumGaps: (question) => sumGaps(db, tables, question),

    async read({ store, stream, seriesIds }, tx = db) {
      const { rows } = await tx.query(
        `select series_id, ${rangesJson('covered')} as covered
         from ${table} join unnest($3::bigint[]) as asked (id) on series_id = id
         where store = $1 and stream = $2`,
        [store, stream, idsText(seriesIds)],
      );
      return new Map(rows.map((row) => [row.series_id as number, rangesFromJson(row.covered)]));
    },

    async readHeads({ stream, stores, series, abreastOf }) {
      const rows = await askShapes(db, {
        what: 'looking at the newest covered times',
        series,
        sql: `${shapesSql(tables, series)}
         select store, min(newest) as oldest, sum(n)::int as covered,
           coalesce(sum(n) filter (where newest >= $4::float8), 0)::int as abreast
         from (select store, n, coalesce(ends, date_part('epoch', upper(covered))) as newest from shape) as head
         where n > 0 and newest is not null group by store order by store`,
        values: [stream, stores, summedValue(series), abreastOf / 1e6],
      });
      const heads = rows as unknown as CoverageHead[];
      return heads.map((head) => ({ ...head, oldest: Math.round(head.oldest * 1e6) }));
    },

    async forgetStore(store) {
      await db.query(marks.withForgotten(`delete from ${table} where store = $1`), [store]);
    },

    async forget(stream, store) {
      const deletion = marks.withForgotten(
        `delete from ${table} where (stream = $1 or starts_with(stream, $1 || '/')) and ($2::text is null or store = $2)`,
      );
      const { rows } = await db.query(deletion, [stream, store ?? null]);
      return rows[0]?.forgotten as number;
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

import type { Database } from '../postgres/connect.ts';
import type { Range } from '../series/types.ts';
import { partsSql, partsValues, type SumsQuestion } from './coverage-sums-sql.ts';

export type { ShortAndLate, SumsQuestion } from './coverage-sums-sql.ts';

export interface CellsQuestion extends SumsQuestion {
  /** Number of cells of equal width. The width of the view is a multiple of this number. */
  readonly cells: number;
}

/** Series that have the same part. */
export interface SharedPart {
  readonly range: Range;
  readonly series: number;
  /** Number of one of the series. */
  readonly firstId: number;
}

/** Sums of coverage over many series, made by the database. */
export interface CoverageSums {
  /**
   * Returns the microseconds of the part in each cell, added up over the series of a group. Groups without
   * any are left out.
   */
  readCells(question: CellsQuestion): Promise<Map<number, Float64Array>>;
  /** Returns the microseconds of the part in the whole view, by group. Groups without any are left out. */
  readTotals(question: SumsQuestion): Promise<Map<number, number>>;
  /** Lists the ranges of the part that touch a range, those with most time of all series first. */
  listParts(question: SumsQuestion & { touching: Range; limit: number }): Promise<SharedPart[]>;
}

/** Makes the part of coverage that adds up. `table` is quoted. */
export function createCoverageSums(db: Database, table: string): CoverageSums {
  return {
    async readCells(question) {
      const rows = await askInShares(question, (share) =>
        db.query(cellsSql(table, share), [...partsValues(share), cellUsOf(question)]),
      );
      return foldCells(rows as unknown as CellRow[], question);
    },

    async readTotals(question) {
      const rows = await askInShares(question, (share) =>
        db.query(
          `${partsSql(table, share)} select g, sum(n::numeric * (b - a)) as total from part group by g`,
          partsValues(share),
        ),
      );
      const totals = new Map<number, number>();
      for (const { g, total } of rows as { g: number; total: string }[])
        totals.set(g, (totals.get(g) ?? 0) + Number(total));
      return totals;
    },

    async listParts({ touching, limit, ...question }) {
      const { from } = question.view;
      const values = partsValues(question);
      const $ = (k: number) => `$${values.length + k}::bigint`;
      const { rows } = await db.query(
        `${partsSql(table, question)}
         select a, b, sum(n)::bigint as series, min(first) as first
         from part where b > ${$(1)} and a < ${$(2)} group by a, b
         order by sum(n) * (b - a) desc, a, b limit ${$(3)}`,
        [...values, touching.from - from, touching.to - from, limit],
      );
      return rows.map(({ a, b, series, first }) => ({
        range: { from: from + (a as number), to: from + (b as number) },
        series: series as number,
        firstId: first as number,
      }));
    },
  };
}

/** More series than this are asked for in two shares, since Postgres uses one core for each statement. */
const MOST_SERIES = 20_000;

/** Asks for two halves of many series at once. Resolves to the rows of both, which add up. */
async function askInShares<T extends SumsQuestion>(
  question: T,
  ask: (share: T) => Promise<{ readonly rows: readonly unknown[] }>,
): Promise<unknown[]> {
  const { seriesIds, groups } = question;
  const shareOf = (from: number, to?: number): T => ({
    ...question,
    seriesIds: seriesIds.slice(from, to),
    groups: groups.slice(from, to),
  });
  const middle = seriesIds.length >> 1;
  const shares = seriesIds.length > MOST_SERIES ? [shareOf(0, middle), shareOf(middle)] : [question];
  const answers = await Promise.all(shares.map(ask));
  return answers.flatMap(({ rows }) => rows);
}

function cellUsOf({ view, cells }: CellsQuestion): number {
  return (view.to - view.from) / cells;
}

/**
 * Each part counts where it begins and where it ends, so the work does not grow with the cells between.
 */
function cellsSql(table: string, question: CellsQuestion): string {
  const us = `$${question.leaveOut === undefined ? 8 : 10}::bigint`;
  // A product of microseconds may exceed a bigint. The slower numeric is taken only where it may.
  const isWide = cellUsOf(question) * question.seriesIds.length > 9e18;
  const n = isWide ? 'n::numeric' : 'n';
  return `${partsSql(table, question)}
    select g, a / ${us} as first, b / ${us} as last, sum(n) as n,
           sum(${n} * (a % ${us})) as before, sum(${n} * (b % ${us})) as within
    from part group by 1, 2, 3`;
}

interface CellRow {
  readonly g: number;
  /** Cell in which the parts begin, and cell in which they end. */
  readonly first: number;
  readonly last: number;
  /** Parts like this. */
  readonly n: string;
  /** Microseconds of the first cell that lie before the parts, added up. */
  readonly before: string;
  /** Microseconds of the last cell that the parts hold, added up. */
  readonly within: string;
}

/** Adds up rows of parts to cells. A part fills all cells from its first to the one before its last. */
function foldCells(rows: readonly CellRow[], question: CellsQuestion): Map<number, Float64Array> {
  const { cells } = question;
  const cellUs = cellUsOf(question);
  const groups = new Map<number, { begun: Float64Array; extra: Float64Array }>();
  const zeros = () => new Float64Array(cells + 1);
  const add = (sums: Float64Array, cell: number, value: number) => {
    sums[cell] = (sums[cell] ?? 0) + value;
  };
  for (const { g, first, last, n, before, within } of rows) {
    const group = groups.get(g) ?? { begun: zeros(), extra: zeros() };
    groups.set(g, group);
    add(group.begun, first, Number(n));
    add(group.begun, last, -Number(n));
    add(group.extra, first, -Number(before));
    add(group.extra, last, Number(within));
  }
  const sum = ({ begun, extra }: { begun: Float64Array; extra: Float64Array }): Float64Array => {
    let open = 0;
    return Float64Array.from({ length: cells }, (_, k) => {
      open += begun[k] ?? 0;
      return open * cellUs + (extra[k] ?? 0);
    });
  };
  return new Map([...groups].map(([g, group]) => [g, sum(group)]));
}

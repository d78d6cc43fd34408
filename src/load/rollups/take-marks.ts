import type { PoolClient } from 'pg';
import { markValues } from '../../postgres/rollup-marks.ts';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { numbersText, timestamptzText } from '../../postgres/type-parsers.ts';
import { NumberRows } from '../../series/number-rows.ts';
import { intersect, toRangeSet } from '../../series/range.ts';
import { column, PIECE_COLUMNS } from '../../series/rollup.ts';
import type { Range } from '../../series/types.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import type { Changes } from './changes.ts';

/** A row of the table of marks. */
interface Mark {
  readonly id: number;
  readonly series_ids: readonly number[];
  readonly begins: number;
  readonly ends: number;
  readonly reread: boolean;
  readonly pieces: Buffer | null;
}

export interface MarkTaking {
  readonly tables: RollupTables;
  readonly grid: ZoneGrid;
  /** The begin of the first hour that is not over, in epoch microseconds. Its changes stay marked. */
  readonly dueUntil: number;
  /** Older points may be gone, so rollups before this hour stay as they are. */
  readonly keptSince: number;
}

/** Marks that decide which series are taken together. */
const SEED_MARKS = 16;
/** The most marks of one transaction. */
const MOST_MARKS = 200;
/** A change of more hours, added up over its series, is left to the backlog, which is done in portions. */
const MOST_HOURS = 50_000;
const PIECE_BYTES = PIECE_COLUMNS * Float64Array.BYTES_PER_ELEMENT;

/**
 * Takes the changes of some series, the oldest mark first, and removes their marks within the transaction.
 * What belongs to other series, or to hours that are not over, stays marked. Returns undefined if nothing is
 * due.
 */
export async function takeMarks(tx: PoolClient, taking: MarkTaking): Promise<Changes | undefined> {
  const { tables, grid, dueUntil } = taking;
  const span = await findSpan(tx, tables, dueUntil);
  if (span === undefined) return undefined;
  const { rows } = await tx.query(
    `select id, series_ids, begins, ends, reread, pieces from ${tables.marks}
     where begins < $1 and first_id <= $3 and last_id >= $2 order by begins, id limit ${MOST_MARKS + 1} for update`,
    [timestamptzText(dueUntil), span.first, span.last],
  );
  const marks = rows as unknown as Mark[];
  const until = cutBefore(marks, grid) ?? dueUntil;
  const taken = marks.slice(0, MOST_MARKS).filter(({ begins }) => begins < until);
  const works = new WorkCollector(
    taking,
    taken.reduce((sum, { pieces }) => sum + (pieces?.length ?? 0), 0),
  );
  const left: Left[] = [];
  for (const mark of taken) left.push(...divide(mark, { span, until }, works));
  await tx.query(`delete from ${tables.marks} where id = any($1::bigint[])`, [
    numbersText(taken.map(({ id }) => id)),
  ]);
  await putBack(tx, tables, left);
  if (works.long.length > 0) await addToBacklog(tx, tables, works.long);
  await rereadBacklog(tx, tables, { span, works });
  return works.all();
}

/** Series from one number to another. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** Finds series whose marks are taken together: those of the oldest mark, and some that follow them. */
async function findSpan(
  tx: PoolClient,
  { marks }: RollupTables,
  dueUntil: number,
): Promise<Span | undefined> {
  const { rows } = await tx.query(
    `select min(first_id) as first, max(last_id) as last from (
       select m.first_id, m.last_id from ${marks} as m
       where m.begins < $1 and m.first_id >= (select first_id from ${marks} where begins < $1 order by id limit 1)
       order by m.first_id limit ${SEED_MARKS}) as seeds`,
    [timestamptzText(dueUntil)],
  );
  const [span] = rows as { first: number | null; last: number }[];
  return span?.first == null ? undefined : { first: span.first, last: span.last };
}

/**
 * Returns the hour from which on there are too many marks. Returns undefined if all fit. Returns
 * undefined, too, if even the first hour has too many: it is computed several times then.
 */
function cutBefore(marks: readonly Mark[], grid: ZoneGrid): number | undefined {
  const next = marks[MOST_MARKS];
  if (next === undefined) return undefined;
  const hour = grid.hourAt(next.begins).from;
  return hour > (marks[0] as Mark).begins ? hour : undefined;
}

/** The part of a mark that stays. */
interface Left extends Range {
  readonly seriesIds: readonly number[];
  readonly reread: boolean;
  readonly pieces: NumberRows | undefined;
}

/** Gives the due part of a mark to the works, and returns the parts that stay. */
function divide(mark: Mark, { span, until }: { span: Span; until: number }, works: WorkCollector): Left[] {
  const isOurs = (id: number) => id >= span.first && id <= span.last;
  const ours = mark.series_ids.filter(isOurs);
  const others = mark.series_ids.filter((id) => !isOurs(id));
  const { reread, begins: from, ends: to } = mark;
  const pieces = mark.pieces === null ? undefined : NumberRows.fromBytes(PIECE_COLUMNS, mark.pieces);
  const choose = (isChosen: (seriesId: number, bucket: number) => boolean) =>
    pieces?.filter((row) => isChosen(pieces.get(row, column.seriesId), pieces.get(row, column.bucket)));
  const due = choose((id, bucket) => isOurs(id) && bucket < until);
  works.add({ seriesIds: ours, from, to: Math.min(to, until), reread, pieces: due });
  const left: Left[] = [];
  if (to > until) {
    const later = choose((id, bucket) => isOurs(id) && bucket >= until);
    left.push({ seriesIds: ours, from: until, to, reread, pieces: later });
  }
  if (others.length > 0)
    left.push({ seriesIds: others, from, to, reread, pieces: choose((id) => !isOurs(id)) });
  return left;
}

async function putBack(tx: PoolClient, { marks }: RollupTables, left: readonly Left[]): Promise<void> {
  for (const { reread, pieces, ...place } of left) {
    if (place.seriesIds.length === 0) continue;
    await tx.query(
      `insert into ${marks} (series_ids, first_id, last_id, begins, ends, reread, pieces)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [...markValues({ ...place, range: place }), reread, pieces?.toBytes() ?? null],
    );
  }
}

/** Leaves long changes to the backlog. */
async function addToBacklog(tx: PoolClient, { backlog }: RollupTables, long: readonly Left[]): Promise<void> {
  for (const place of long)
    await tx.query(
      `insert into ${backlog} (series_ids, first_id, last_id, begins, ends) values ($1, $2, $3, $4, $5)`,
      markValues({ ...place, range: place }),
    );
}

/**
 * Lets hours that are in the backlog be read. Sums of appended points would not be all their points.
 */
async function rereadBacklog(
  tx: PoolClient,
  { backlog }: RollupTables,
  { span, works }: { span: Span; works: WorkCollector },
): Promise<void> {
  const { rows } = await tx.query(
    `select series_ids, begins, ends from ${backlog} where first_id <= $2 and last_id >= $1`,
    [span.first, span.last],
  );
  for (const { series_ids, begins, ends } of rows as Mark[]) works.reread(series_ids, begins, ends);
}

/** Collects what changed of each series. */
class WorkCollector {
  readonly #taking: MarkTaking;
  readonly #touched = new Map<number, Range[]>();
  readonly #reread = new Map<number, Range[]>();
  readonly #pieces: NumberRows;
  /** Changes that are too long to be done at once. */
  readonly long: Left[] = [];

  /** @param bytes size of the sums of appended points */
  constructor(taking: MarkTaking, bytes: number) {
    this.#taking = taking;
    this.#pieces = new NumberRows(PIECE_COLUMNS, bytes / PIECE_BYTES);
  }

  add(change: Left): void {
    const { grid, keptSince, dueUntil } = this.#taking;
    const from = Math.max(keptSince, grid.hourAt(change.from).from);
    const to = Math.min(dueUntil, grid.hourAt(change.to - 1).to);
    if (from >= to) return;
    if (change.reread && (change.seriesIds.length * (to - from)) / 3.6e9 > MOST_HOURS) {
      this.long.push({ ...change, from, to });
      return;
    }
    const hours = { from, to };
    for (const id of change.seriesIds) {
      extend(this.#touched, id, hours);
      if (change.reread) extend(this.#reread, id, hours);
    }
    const { pieces } = change;
    if (pieces === undefined) return;
    for (const row of pieces.positions())
      if (pieces.get(row, column.bucket) >= keptSince) this.#pieces.addFrom(pieces, row);
  }

  reread(seriesIds: readonly number[], begins: number, ends: number): void {
    const { grid } = this.#taking;
    const hours = { from: grid.hourAt(begins).from, to: grid.hourAt(ends - 1).to };
    for (const id of seriesIds) {
      const touched = this.#touched.get(id);
      if (touched === undefined) continue;
      for (const range of intersect(toRangeSet(touched), [hours])) extend(this.#reread, id, range);
    }
  }

  all(): Changes {
    const series = [...this.#touched].map(([seriesId, touched]) => ({
      seriesId,
      touched: toRangeSet(touched),
      reread: toRangeSet(this.#reread.get(seriesId) ?? []),
    }));
    return { series, pieces: this.#pieces };
  }
}

/** Adds a range to a list. Most ranges follow the one before, and then they become one. */
function extend(lists: Map<number, Range[]>, id: number, range: Range): void {
  const list = lists.get(id);
  const last = list?.at(-1);
  if (list === undefined) lists.set(id, [range]);
  else if (last === undefined || range.from < last.from || range.from > last.to) list.push(range);
  else if (range.to > last.to) list[list.length - 1] = { from: last.from, to: range.to };
}

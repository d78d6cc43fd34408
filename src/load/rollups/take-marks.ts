import type { PoolClient } from 'pg';
import { markValues } from '../../postgres/rollup-marks.ts';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { numbersText, timestamptzText } from '../../postgres/type-parsers.ts';
import { NumberRows } from '../../series/number-rows.ts';
import { column, PIECE_COLUMNS } from '../../series/rollup.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import type { Changes } from './changes.ts';
import {
  ChangeCollector,
  type MarkedChange,
  type MarkTaking,
  type PortionLimits,
  usualLimits,
} from './collect-changes.ts';

/** A row of the table of marks. */
interface Mark {
  readonly id: number;
  readonly series_ids: readonly number[];
  readonly begins: number;
  readonly ends: number;
  readonly reread: boolean;
  readonly pieces: Buffer | null;
  readonly marked_at: number;
}

/**
 * Takes the changes of some series, the oldest mark first, and removes their marks within the transaction.
 * What belongs to other series, or to hours that are not over, stays marked. Returns undefined if nothing is
 * due.
 */
export async function takeMarks(tx: PoolClient, taking: MarkTaking): Promise<Changes | undefined> {
  const { tables, grid, dueUntil, limits = usualLimits } = taking;
  const span = await findSpan(tx, taking, limits);
  if (span === undefined) return undefined;
  const { rows } = await tx.query(
    // A mark around the span that has none of its series would be put back as it was, again and again.
    `select id, series_ids, begins, ends, reread, pieces, marked_at from ${tables.marks}
     where begins < $1 and first_id <= $3 and last_id >= $2 and (first_id >= $2 or last_id <= $3
       or exists (select from unnest(series_ids) as own (id) where own.id between $2 and $3))
     order by begins, id limit ${limits.mostMarks + 1} for update`,
    [timestamptzText(dueUntil), span.first, span.last],
  );
  const marks = rows as unknown as Mark[];
  const until = cutBefore(marks, limits.mostMarks, grid) ?? dueUntil;
  const taken = marks.slice(0, limits.mostMarks).filter(({ begins }) => begins < until);
  const changes = new ChangeCollector(
    taking,
    taken.reduce((sum, { pieces }) => sum + (pieces?.length ?? 0), 0),
  );
  const left: MarkedChange[] = [];
  for (const mark of taken) left.push(...divide(mark, { span, until }, changes));
  await tx.query(`delete from ${tables.marks} where id = any($1::bigint[])`, [
    numbersText(taken.map(({ id }) => id)),
  ]);
  await putBack(tx, tables, left);
  if (changes.long.length > 0) await addToBacklog(tx, tables, changes.long);
  await rereadBacklog(tx, tables, { span, changes });
  return changes.all();
}

/** Series from one number to another. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** Finds series whose marks are taken together: those of the oldest mark, and some that follow them. */
async function findSpan(
  tx: PoolClient,
  { tables: { marks }, dueUntil }: MarkTaking,
  { seedMarks }: PortionLimits,
): Promise<Span | undefined> {
  const { rows } = await tx.query(
    `select min(first_id) as first, max(last_id) as last from (
       select m.first_id, m.last_id from ${marks} as m
       where m.begins < $1 and m.first_id >= (select first_id from ${marks} where begins < $1 order by id limit 1)
       order by m.first_id limit ${seedMarks}) as seeds`,
    [timestamptzText(dueUntil)],
  );
  const [span] = rows as { first: number | null; last: number }[];
  return span?.first == null ? undefined : { first: span.first, last: span.last };
}

/**
 * Returns the hour from which on there are too many marks. Returns undefined if all fit. Returns
 * undefined, too, if even the first hour has too many: it is computed several times then.
 */
function cutBefore(marks: readonly Mark[], most: number, grid: ZoneGrid): number | undefined {
  const next = marks[most];
  if (next === undefined) return undefined;
  const hour = grid.hourAt(next.begins).from;
  return hour > (marks[0] as Mark).begins ? hour : undefined;
}

/** Gives the due part of a mark to the changes, and returns the parts that stay. */
function divide(
  mark: Mark,
  { span, until }: { span: Span; until: number },
  changes: ChangeCollector,
): MarkedChange[] {
  const isOurs = (id: number) => id >= span.first && id <= span.last;
  const ours = mark.series_ids.filter(isOurs);
  const others = mark.series_ids.filter((id) => !isOurs(id));
  const { reread, begins: from, ends: to, marked_at: markedAt } = mark;
  const pieces = mark.pieces === null ? undefined : NumberRows.fromBytes(PIECE_COLUMNS, mark.pieces);
  const choose = (isChosen: (seriesId: number, bucket: number) => boolean) =>
    pieces?.filter((row) => isChosen(pieces.get(row, column.seriesId), pieces.get(row, column.bucket)));
  const due = choose((id, bucket) => isOurs(id) && bucket < until);
  changes.add({ seriesIds: ours, from, to: Math.min(to, until), reread, pieces: due, markedAt });
  const left: MarkedChange[] = [];
  if (to > until) {
    const later = choose((id, bucket) => isOurs(id) && bucket >= until);
    left.push({ seriesIds: ours, from: until, to, reread, pieces: later, markedAt });
  }
  if (others.length > 0)
    left.push({ seriesIds: others, from, to, reread, pieces: choose((id) => !isOurs(id)), markedAt });
  return left;
}

async function putBack(
  tx: PoolClient,
  { marks }: RollupTables,
  left: readonly MarkedChange[],
): Promise<void> {
  for (const { reread, pieces, markedAt, ...place } of left) {
    if (place.seriesIds.length === 0) continue;
    await tx.query(
      `insert into ${marks} (series_ids, first_id, last_id, begins, ends, reread, pieces, marked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ...markValues({ ...place, range: place }),
        ...[reread, pieces?.toBytes() ?? null, timestamptzText(markedAt)],
      ],
    );
  }
}

/** Leaves long changes to the backlog. */
async function addToBacklog(
  tx: PoolClient,
  { backlog }: RollupTables,
  long: readonly MarkedChange[],
): Promise<void> {
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
  { span, changes }: { span: Span; changes: ChangeCollector },
): Promise<void> {
  const { rows } = await tx.query(
    `select series_ids, begins, ends from ${backlog} where first_id <= $2 and last_id >= $1`,
    [span.first, span.last],
  );
  for (const { series_ids, begins, ends } of rows as Mark[]) changes.reread(series_ids, begins, ends);
}

import type { PoolClient } from 'pg';
import { markValues } from '../../postgres/rollup-marks.ts';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';
import { NumberRows } from '../../series/number-rows.ts';
import { PIECE_COLUMNS } from '../../series/rollup.ts';
import type { Changes } from './changes.ts';
import type { MarkTaking } from './collect-changes.ts';

const HOUR_US = 3_600e6;

/** A part of the backlog. */
export interface BacklogPart {
  readonly changes: Changes;
  readonly onlyDays: boolean;
}

interface Row {
  readonly id: number;
  readonly series_ids: number[];
  readonly begins: number;
  readonly ends: number;
  readonly only_days: boolean;
}

/**
 * Takes the newest part of the backlog: some series over at most so many hours. Returns undefined if nothing
 * is left.
 */
export async function takeBacklog(
  tx: PoolClient,
  { tables, grid, keptSince, dueUntil }: MarkTaking,
  hours: number,
): Promise<BacklogPart | undefined> {
  const { rows } = await tx.query(
    `select id, series_ids, begins, ends, only_days from ${tables.backlog} order by ends desc, id limit 1 for update`,
  );
  const [row] = rows as Row[];
  if (row === undefined) return undefined;
  // Days are made from hours, which outlast the points.
  const oldest = row.only_days ? Number.NEGATIVE_INFINITY : keptSince;
  const begins = Math.max(row.begins, oldest);
  const from = grid.hourAt(Math.max(begins, row.ends - hours * HOUR_US)).from;
  if (from > begins)
    await tx.query(`update ${tables.backlog} set ends = $2 where id = $1`, [row.id, timestamptzText(from)]);
  else await tx.query(`delete from ${tables.backlog} where id = $1`, [row.id]);
  if (row.ends > dueUntil && !row.only_days)
    await markLater(tx, { tables, row, from: Math.max(from, dueUntil) });
  const touched = { from: Math.max(from, oldest), to: Math.min(grid.hourAt(row.ends - 1).to, dueUntil) };
  const seriesIds = touched.from < touched.to ? row.series_ids : [];
  const series = seriesIds.map((seriesId) => ({ seriesId, touched: [touched], reread: [touched] }));
  return { changes: { series, pieces: new NumberRows(PIECE_COLUMNS) }, onlyDays: row.only_days };
}

/** Marks hours that are not over. */
async function markLater(
  tx: PoolClient,
  { tables, row, from }: { tables: RollupTables; row: Row; from: number },
): Promise<void> {
  await tx.query(
    `insert into ${tables.marks} (series_ids, first_id, last_id, begins, ends, reread)
     values ($1, $2, $3, $4, $5, true)`,
    markValues({ seriesIds: row.series_ids, range: { from, to: row.ends } }),
  );
}

import type { Database } from '../../postgres/connect.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { BACKLOG_SERIES, type RollupTables, rollupTables } from '../../postgres/rollup-tables.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';
import { hasWholeHours } from '../../series/zone-grid.ts';

/**
 * Lets all processes mark changes for the rollups, or lets none do it. What was stored while nothing was
 * marked gets to the backlog later. Rollups that exist stay. The zone is that of the first rollups.
 */
export async function keepMarks(
  db: Database,
  schemas: Schemas,
  { isKept, zone }: { isKept: boolean; zone: string },
): Promise<void> {
  const { state, marks, backlog } = rollupTables(schemas);
  if (isKept) {
    await db.query(
      `update ${state} set kept = true, begun = begun and kept, zone = coalesce(zone, $1) where not kept or zone is null`,
      [zone],
    );
    return;
  }
  const { rows } = await db.query(`select kept from ${state} where kept`);
  if (rows.length === 0) return;
  await inTransaction(
    db,
    async (tx) => {
      await tx.query(`update ${state} set kept = false where kept`);
      await tx.query(`delete from ${marks}`);
      await tx.query(`delete from ${backlog}`);
    },
    { what: 'switching the rollups off' },
  );
}

/**
 * Puts everything that is stored into the backlog, if changes have not been marked for some time. Rollups of
 * points that have gone since then are in it too. Puts days into it if the zone of the plant has changed, and
 * hours too if they begin at other times now.
 */
export async function beginBacklog(
  tx: Queryable,
  schemas: Schemas,
  { zone, keptSince }: { zone: string; keptSince: number },
): Promise<void> {
  const tables = rollupTables(schemas);
  const { rows } = await tx.query(`select begun, zone from ${tables.state} for update`);
  const [state] = rows as { begun: boolean; zone: string | null }[];
  if (state === undefined) return;
  const isOtherZone = state.zone !== null && state.zone !== zone;
  const isOtherGrid = isOtherZone && !(hasWholeHours(zone) && hasWholeHours(state.zone ?? zone));
  if (isOtherGrid) {
    await tx.query(`delete from ${tables.hourly} where bucket >= $1`, [timestamptzText(keptSince)]);
    // Sums of appended points belong to other hours.
    await tx.query(`update ${tables.marks} set pieces = null, reread = true where pieces is not null`);
  }
  if (isOtherZone) await tx.query(`delete from ${tables.daily}`);
  const points = { table: tables.samples, time: 'at' };
  const hours = { table: tables.hourly, time: 'bucket' };
  if (!state.begun || isOtherGrid)
    await fillBacklog(tx, tables, { sources: [points, { ...hours, since: keptSince }], onlyDays: false });
  if (isOtherZone) await fillBacklog(tx, tables, { sources: [hours], onlyDays: true });
  if (!state.begun || state.zone !== zone)
    await tx.query(`update ${tables.state} set begun = true, zone = $1`, [zone]);
}

/** A table whose rows have a series and a time. */
interface Source {
  readonly table: string;
  readonly time: string;
  /** Older rows do not count. */
  readonly since?: number;
}

/** Adds the range of each series in some tables to the backlog. */
async function fillBacklog(
  tx: Queryable,
  { backlog, series, state }: RollupTables,
  { sources, onlyDays }: { sources: readonly Source[]; onlyDays: boolean },
): Promise<void> {
  const bounds = sources.flatMap(({ table, time, since = Number.NEGATIVE_INFINITY }) =>
    ['asc', 'desc'].map(
      (direction) =>
        `(select ${time} as at from ${table} as p
          where p.series_id = s.series_id and p.${time} >= '${timestamptzText(since)}'
          order by ${time} ${direction} limit 1)`,
    ),
  );
  await tx.query(
    `insert into ${backlog} (series_ids, first_id, last_id, begins, ends, only_days)
     select array_agg(series_id order by series_id), min(series_id), max(series_id),
       min(begins), max(ends) + interval '1 microsecond', ${onlyDays}
     from (
       select s.series_id, found.begins, found.ends,
         (row_number() over (order by s.series_id) - 1) / ${BACKLOG_SERIES} as chunk
       from ${series} as s
       cross join lateral (select min(at) as begins, max(at) as ends from (${bounds.join(' union all ')}) as b) as found
       where found.begins is not null
     ) as each group by chunk`,
  );
  await tx.query(`update ${state} set backlog_hours = ${hoursOf(backlog)}`);
}

function hoursOf(backlog: string): string {
  return `coalesce((select sum(date_part('epoch', ends - begins) / 3600 * cardinality(series_ids)) from ${backlog}), 0)`;
}

/** How far the rollups are behind the points. */
export interface RollupProgress {
  /** Whether changes are marked, in any process. */
  readonly kept: boolean;
  /** Marks of hours that are over and not computed yet. */
  readonly waiting: number;
  /** Begin of the oldest of these marks, in epoch microseconds. */
  readonly oldest: number | null;
  /** For how long the change that has waited the longest could have been computed. */
  readonly behindSec: number;
  /** Hours of the backlog, added up over its series, and how many it had when it was largest. */
  readonly backlogHours: number;
  readonly backlogTotal: number;
}

/** Reads how far the rollups are behind. `dueUntil` is the begin of the first hour that is not over. */
export async function readRollupProgress(
  db: Queryable,
  schemas: Schemas,
  dueUntil: number,
): Promise<RollupProgress> {
  const { state, marks, backlog } = rollupTables(schemas);
  const { rows } = await db.query(
    `select kept and begun as kept, waiting, oldest, coalesce(greatest(0, date_part('epoch', now() - since)), 0) as "behindSec", hours as "backlogHours", greatest(hours, backlog_hours) as "backlogTotal"
     from ${state} cross join lateral (
       select count(*) as waiting, min(begins) as oldest,
         min(greatest(marked_at, date_trunc('hour', begins, coalesce(zone, 'UTC')) + interval '1 hour')) as since
       from ${marks} where begins < $1) as due
     cross join (select ${hoursOf(backlog)} as hours) as left_over`,
    [timestamptzText(dueUntil)],
  );
  return rows[0] as unknown as RollupProgress;
}

/** Forgets how large the backlog was, once it is done. */
export async function endBacklog(db: Queryable, schemas: Schemas): Promise<void> {
  const { state, backlog } = rollupTables(schemas);
  await db.query(
    `update ${state} set backlog_hours = 0 where backlog_hours > 0 and not exists (select from ${backlog})`,
  );
}

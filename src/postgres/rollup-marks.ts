import type { Range } from '../series/types.ts';
import { quoteTable } from './names.ts';
import { prepared, type Queryable } from './queryable.ts';
import { rollupTables } from './rollup-tables.ts';
import type { Schemas } from './schemas.ts';
import { numbersText, timestamptzText } from './type-parsers.ts';

/** A range of some series whose points or coverage changed. */
export interface Changed {
  readonly seriesIds: readonly number[];
  readonly range: Range;
}

/** Sums of points that were appended to a range. */
export interface Appended extends Changed {
  /** Pieces as bytes, by the hours of `zone`. */
  readonly pieces: Buffer;
  readonly zone: string;
}

/** New points of one series in one hour of a range that was read before. */
export interface Found {
  readonly seriesId: number;
  readonly hour: number;
  /** The time of the oldest of the points. */
  readonly oldest: number;
  readonly points: number;
}

/**
 * Marks changes for the rollups, in the transaction of the change. Nothing is marked while the ledger says
 * that no rollups are kept.
 */
export interface RollupMarks {
  /** Marks points that were inserted, replaced or removed, or a range that is covered no more. */
  noteChanged(tx: Queryable, changed: Changed): Promise<void>;
  /** Marks points that were appended. */
  noteAppended(tx: Queryable, appended: Appended): Promise<void>;
  /** Keeps which points came late. Points whose range is not covered are left out. */
  noteLate(tx: Queryable, found: readonly Found[], store: string): Promise<void>;
}

export function createRollupMarks(schemas: Schemas): RollupMarks {
  const { marks, state, late } = rollupTables(schemas);
  const coverage = quoteTable(schemas.ledger, 'coverage');
  const columns = 'series_ids, first_id, last_id, begins, ends, reread, pieces';
  const changed = prepared(
    `insert into ${marks} (${columns})
     select $1::bigint[], $2, $3, $4, $5, true, null from ${state} where kept`,
  );
  // Pieces by the hours of another zone are of no use. The points are read then.
  const appended = prepared(
    `insert into ${marks} (${columns})
     select $1::bigint[], $2, $3, $4, $5, zone is distinct from $7, case when zone = $7 then $6::bytea end
     from ${state} where kept`,
  );
  return {
    async noteChanged(tx, change) {
      if (change.seriesIds.length > 0) await tx.query(changed, markValues(change));
    },

    async noteAppended(tx, append) {
      await tx.query(appended, [...markValues(append), append.pieces, append.zone]);
    },

    async noteLate(tx, found, store) {
      if (found.length === 0) return;
      await tx.query(
        `insert into ${late} as l (series_id, hour, found_at, points, lag_sec)
         select id, hour, now(), points, date_part('epoch', now() - oldest)
         from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[]) as found (id, hour, oldest, points)
         join ${coverage} as c on c.store = $5 and c.stream = 'history' and c.series_id = id and c.covered @> oldest
         on conflict (series_id, hour) do update
           set found_at = excluded.found_at, points = l.points + excluded.points, lag_sec = excluded.lag_sec`,
        [
          numbersText(found.map(({ seriesId }) => seriesId)),
          found.map(({ hour }) => timestamptzText(hour)),
          found.map(({ oldest }) => timestamptzText(oldest)),
          numbersText(found.map(({ points }) => points)),
          store,
        ],
      );
    },
  };
}

/** Returns the values of the columns `series_ids`, `first_id`, `last_id`, `begins`, `ends` of a mark. */
export function markValues({ seriesIds, range }: Changed): unknown[] {
  const ids = [...new Set(seriesIds)].sort((a, b) => a - b);
  return [
    numbersText(ids),
    ids[0] as number,
    ids.at(-1) as number,
    timestamptzText(range.from),
    timestamptzText(range.to),
  ];
}

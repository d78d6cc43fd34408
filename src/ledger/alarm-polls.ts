import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';

/** When a poll was asked and answered, in epoch microseconds. */
export interface PollTimes {
  readonly beganAt: number;
  readonly endedAt: number;
}

export interface AlarmPolls {
  /** Reads the times of the last complete poll under each filter (JSON, null for no filter). */
  readLast(tx: Queryable): Promise<Map<string | null, PollTimes>>;
  /** Keeps a complete poll as the last one, in the transaction of the changes that it led to. */
  note(filter: string | null, times: PollTimes, tx: Queryable): Promise<void>;
  /** Forgets all polls, so that the next poll counts as the first. Resolves to their number. */
  forget(): Promise<number>;
}

/** Makes the part of the ledger that keeps the last complete poll of current alarms under each filter. */
export function createAlarmPolls(db: Database, schemas: Schemas): AlarmPolls {
  const table = quoteTable(schemas.ledger, 'alarm_polls');
  return {
    async readLast(tx) {
      const { rows } = await tx.query(
        `select nullif(filter, '') as filter, began_at, ended_at from ${table}`,
      );
      return new Map(
        rows.map((row) => [
          row.filter as string | null,
          { beganAt: row.began_at as number, endedAt: row.ended_at as number },
        ]),
      );
    },

    async note(filter, { beganAt, endedAt }, tx) {
      await tx.query(
        `insert into ${table} (filter, began_at, ended_at) values ($1, $2, $3)
         on conflict (filter) do update set began_at = excluded.began_at, ended_at = excluded.ended_at`,
        [filter ?? '', timestamptzText(beganAt), timestamptzText(endedAt)],
      );
    },

    async forget() {
      const { rowCount } = await db.query(`delete from ${table}`);
      return rowCount ?? 0;
    },
  };
}

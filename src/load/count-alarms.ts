import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';

/** How many alarms there are. */
export interface AlarmCountsByState {
  readonly total: number;
  readonly active: number;
  /** Active or not. */
  readonly unacknowledged: number;
}

/** Counts alarms by their state; undefined while there is no table of them. */
export async function countAlarms(db: Queryable, schema: string): Promise<AlarmCountsByState | undefined> {
  const table = quoteTable(schema, 'alarms');
  const { rows: found } = await db.query('select to_regclass($1) is not null as exists', [table]);
  if (found[0]?.exists !== true) return undefined;
  const { rows } = await db.query(
    `select count(*) as total, count(*) filter (where is_active) as active,
       count(*) filter (where not is_acknowledged) as unacknowledged from ${table}`,
  );
  return rows[0] as unknown as AlarmCountsByState;
}

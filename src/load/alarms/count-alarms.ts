import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { hasRelation } from '../../postgres/schema-change.ts';

/** The numbers of alarms, by state. */
export interface AlarmCountsByState {
  readonly total: number;
  readonly active: number;
  /** Alarms that nobody has acknowledged, active or not. */
  readonly unacknowledged: number;
}

/** Counts the alarms by their state. Returns undefined while their table does not exist. */
export async function countAlarms(db: Queryable, schema: string): Promise<AlarmCountsByState | undefined> {
  const table = quoteTable(schema, 'alarms');
  if (!(await hasRelation(db, table))) return undefined;
  const { rows } = await db.query(
    `select count(*) as total, count(*) filter (where is_active) as active,
       count(*) filter (where not is_acknowledged) as unacknowledged from ${table}`,
  );
  return rows[0] as unknown as AlarmCountsByState;
}

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

/** Counts the alarms that began within the last time, by priority. Alarms without a priority have 0. */
export async function countBegun(
  db: Queryable,
  schema: string,
  withinMs: number,
): Promise<Map<number, number>> {
  const table = quoteTable(schema, 'alarms');
  if (!(await hasRelation(db, table))) return new Map();
  const { rows } = await db.query(
    `select coalesce(priority, 0)::int as priority, count(*)::int as begun from ${table}
     where started_at > now() - $1 * interval '1 ms' and started_at <= now() group by 1 order by 1`,
    [withinMs],
  );
  return new Map(rows.map((row) => [row.priority as number, row.begun as number]));
}

import type { PoolClient } from 'pg';
import { quoteTable } from '../../postgres/names.ts';
import { planByKey } from '../../postgres/plan-by-key.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';
import type { AlarmEvent, PlacedAlarmEvent } from '../../streams/alarm-row.ts';
import type { ColumnValue } from '../../streams/define.ts';
import { listOf, matchSql } from '../rows/row-sql.ts';
import { copyRows, openStage } from '../rows/staged-rows.ts';
import { eventColumns, eventKey } from './alarm-tables.ts';

const names = eventColumns.map(({ name }) => name);
/** The columns that tell events apart as points of InfluxDB, without `place`. */
const pointKey = ['object', 'property', 'show_name', 'alarm_type', 'transition', 'at'];

/**
 * Adds events to `alarm_events`, within the transaction that writes their alarms. An event that is there
 * already stays as it is. Resolves to the new events, each with its place. No other transaction may add
 * events meanwhile.
 */
export async function addAlarmEvents(
  tx: PoolClient,
  schema: string,
  events: readonly AlarmEvent[],
): Promise<PlacedAlarmEvent[]> {
  if (events.length === 0) return [];
  const table = quoteTable(schema, 'alarm_events');
  const stage = await openStage(tx, 'alarm_events', eventColumns);
  const rows = events.map((event) => names.map((name) => event[name as keyof AlarmEvent] as ColumnValue));
  await copyRows(tx, stage, { table: 'alarm_events', rows });
  await planByKey(tx);
  const point = listOf(pointKey, 'f.');
  const { rows: added } = await tx.query(
    `with fresh as (
       select distinct on (${listOf(eventKey)}) ${listOf(names)} from ${stage.name} as s
       where not exists (select from ${table} as e where ${matchSql(eventKey, 'e', 's')})
       order by ${listOf(eventKey)}),
     placed as (
       select f.*, (select count(*) from ${table} as e where ${matchSql(pointKey, 'e', 'f')})
         + row_number() over (partition by ${point} order by f.started_at) - 1 as place from fresh as f)
     insert into ${table} (${listOf(names)}, place) select ${listOf(names)}, place from placed
     returning ${listOf(names)}, place`,
  );
  await tx.query(`delete from ${stage.name}`);
  return added as unknown as PlacedAlarmEvent[];
}

/**
 * Reads the next `limit` events after the event `after`, in the order of their keys. Without `after` the
 * first events are read.
 */
export async function readAlarmEvents(
  tx: Queryable,
  schema: string,
  { after, limit }: { after: PlacedAlarmEvent | undefined; limit: number },
): Promise<PlacedAlarmEvent[]> {
  const columns = listOf([...names, 'place']);
  const key = listOf(eventKey);
  const values =
    after === undefined ? [] : eventKey.map((name) => parameterOf(after[name as keyof AlarmEvent]));
  const beyond =
    after === undefined ? '' : `where (${key}) > (${values.map((_, k) => `$${k + 1}`).join(', ')})`;
  const { rows } = await tx.query(
    `select ${columns} from ${quoteTable(schema, 'alarm_events')} ${beyond} order by ${key} limit ${limit}`,
    values,
  );
  return rows as unknown as PlacedAlarmEvent[];
}

function parameterOf(value: string | number | null): string | null {
  return typeof value === 'number' ? timestamptzText(value) : value;
}

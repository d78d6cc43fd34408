import type { PoolClient } from 'pg';
import type { Database } from '../../postgres/connect.ts';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import type { Transaction } from '../../postgres/queryable.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';
import type { AlarmEvent, AlarmKey, AlarmRow, PlacedAlarmEvent } from '../../streams/alarm-row.ts';
import { alarms } from '../../streams/alarms.ts';
import type { Column, ColumnValue } from '../../streams/define.ts';
import { listOf, matchSql } from '../rows/row-sql.ts';
import { copyRows, openStage, stageKeys } from '../rows/staged-rows.ts';
import { addAlarmEvents } from './alarm-events.ts';

/** The alarms to write, and their events. */
export interface AlarmDecision {
  /** Whole rows. The members of `extra` are added to the `extra` of the stored row. */
  readonly rows: readonly (AlarmRow & { readonly extra: object | null })[];
  readonly events: readonly AlarmEvent[];
}

export interface AlarmChange<Decision extends AlarmDecision> {
  /** The alarms whose stored rows `decide` needs. A key without a row is left out. */
  readonly keys: readonly AlarmKey[];
  /** Whether `decide` also needs the rows of all alarms that are not known to be over. */
  readonly openToo: boolean;
  /** Decides by the rows as they are now. Returns undefined to leave everything as it is. */
  readonly decide: (known: AlarmRow[], tx: Transaction) => Promise<Decision | undefined>;
  /** Runs inside the transaction, after the writes, with the new events. */
  readonly commit: (
    tx: Transaction,
    events: readonly PlacedAlarmEvent[],
    decision: Decision,
  ) => Promise<void>;
}

export interface AlarmCounts<Decision> {
  readonly inserted: number;
  readonly updated: number;
  readonly decision: Decision | undefined;
}

type Shape = Pick<Column, 'name' | 'type'>;
const lifeColumns: readonly Shape[] = [
  ...(alarms.computed ?? []),
  { name: 'missed_scans', type: 'integer' },
  { name: 'filter', type: 'text' },
  { name: 'first_seen_at', type: 'timestamptz' },
  { name: 'changed_at', type: 'timestamptz' },
];
const rowColumns: readonly Shape[] = [...alarms.columns, ...lifeColumns].map(({ name, type }) => ({
  name,
  type,
}));
const names = rowColumns.map(({ name }) => name);
const stagedColumns: readonly Shape[] = [...rowColumns, { name: 'extra', type: 'jsonb' }];
const keyColumns = rowColumns.filter(({ name }) => alarms.key.includes(name));

/**
 * Changes alarms in one transaction: reads their rows, lets `decide` say what becomes of them, and writes
 * what changed together with its events. A lock of the database lets only one such transaction run at a time,
 * in any process. So each decides by what the one before has left.
 */
export async function changeAlarms<Decision extends AlarmDecision>(
  db: Database,
  schemas: Schemas,
  change: AlarmChange<Decision>,
): Promise<AlarmCounts<Decision>> {
  const work = async (tx: PoolClient): Promise<AlarmCounts<Decision>> => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended('plantsync:alarms ' || $1, 0))", [
      schemas.data,
    ]);
    const known = await readRows(tx, schemas.data, change);
    const decision = await change.decide(known, tx);
    if (decision === undefined) return { inserted: 0, updated: 0, decision };
    const written = await writeRows(tx, schemas.data, decision.rows);
    const events = await addAlarmEvents(tx, schemas.data, decision.events);
    await change.commit(tx, events, decision);
    return { ...written, decision };
  };
  return inTransaction(db, work, { what: 'changing alarms' });
}

/**
 * The start of an alarm (epoch microseconds), and its position among all alarms since the instant asked for.
 */
export interface AlarmStart {
  readonly startedAt: number;
  readonly place: number;
}

/**
 * Reads the starts, since an instant, of the alarms that still go on or wait to be acknowledged, in ascending
 * order.
 */
export async function readUnsettledStarts(
  db: Database,
  schema: string,
  sinceUs: number,
): Promise<AlarmStart[]> {
  const { rows } = await db.query<AlarmStart>(
    `select started_at as "startedAt", place from (
       select started_at, row_number() over (order by started_at) as place,
         is_active is distinct from false or is_acknowledged is distinct from true as unsettled
       from ${quoteTable(schema, 'alarms')} where started_at >= $1) as a
     where unsettled order by place`,
    [timestamptzText(sinceUs)],
  );
  return rows;
}

async function readRows(
  tx: PoolClient,
  schema: string,
  { keys, openToo }: Pick<AlarmChange<AlarmDecision>, 'keys' | 'openToo'>,
): Promise<AlarmRow[]> {
  // Most windows of a history have no alarms: they cost no query.
  if (keys.length === 0 && !openToo) return [];
  const table = quoteTable(schema, 'alarms');
  const values = keys.map((key) => keyColumns.map(({ name }) => key[name as keyof AlarmKey]));
  const stage = await stageKeys(tx, { purpose: 'alarm_keys', table: 'alarms', columns: keyColumns }, values);
  const open = openToo
    ? `union select ${listOf(names)} from ${table} where is_active is distinct from false`
    : '';
  const { rows } = await tx.query(
    `select ${listOf(names, 'a.')} from (select distinct * from ${stage.name}) as k cross join lateral (
       select ${listOf(names)} from ${table} as t where ${matchSql(alarms.key, 't', 'k')} limit 1) as a ${open}`,
  );
  await tx.query(`delete from ${stage.name}`);
  return rows as unknown as AlarmRow[];
}

type Written = Pick<AlarmCounts<unknown>, 'inserted' | 'updated'>;

async function writeRows(tx: PoolClient, schema: string, rows: AlarmDecision['rows']): Promise<Written> {
  if (rows.length === 0) return { inserted: 0, updated: 0 };
  const table = quoteTable(schema, 'alarms');
  const stage = await openStage(tx, 'alarms', stagedColumns);
  await copyRows(tx, stage, {
    table: 'alarms',
    rows: rows.map((row) => stagedColumns.map(({ name }) => row[name as keyof typeof row] as ColumnValue)),
  });
  const all = listOf(stagedColumns.map(({ name }) => name));
  const changeable = names.filter((name) => !alarms.key.includes(name) && name !== 'first_seen_at');
  const compared = changeable.filter((name) => name !== 'changed_at');
  const set = changeable.map((name) => `${quoteName(name)} = excluded.${quoteName(name)}`).join(', ');
  const { rows: written } = await tx.query<{ fresh: boolean }>(
    `insert into ${table} as t (${all}) select ${all} from ${stage.name}
     on conflict (${listOf(alarms.key)}) do update set ${set},
       extra = case when excluded.extra is null then t.extra else coalesce(t.extra, '{}') || excluded.extra end
     where row(${listOf(compared, 't.')}) is distinct from row(${listOf(compared, 'excluded.')})
       or (excluded.extra is not null and not coalesce(t.extra, '{}') @> excluded.extra)
     returning xmax = 0 as fresh`,
  );
  await tx.query(`delete from ${stage.name}`);
  const inserted = written.filter(({ fresh }) => fresh).length;
  return { inserted, updated: written.length - inserted };
}

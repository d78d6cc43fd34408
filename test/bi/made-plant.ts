import { afterAll, beforeAll } from 'vitest';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { deleteRows } from '../../src/load/rows/delete-rows.ts';
import { createPostgresStore } from '../../src/load/stores/postgres/create-store.ts';
import { normalizePoints } from '../../src/normalize/normalize-points.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import type { Series } from '../../src/series/types.ts';
import { type Stream, tableOf } from '../../src/streams/define.ts';
import { streams } from '../../src/streams/index.ts';
import { openTable } from '../load/test-streams.ts';
import { type BiDatabase, openBi } from './open-bi.ts';

/** A time of a test without a zone, such as `2024-01-01 08:00`, in UTC. */
export type Time = string;
type Record_ = Readonly<Record<string, unknown>>;

/** A small plant that a test makes up, with all views. */
export interface MadePlant extends Pick<BiDatabase, 'db'> {
  readonly ledger: Ledger;
  /** Returns the rows of a query as lists of values. Times are written as `Time`. */
  ask(sql: string): Promise<unknown[][]>;
  run(sql: string): Promise<void>;
  /** Registers a series, such as `pump1.state`. */
  series(name: string, primitiveType?: string | null): Promise<Series>;
  /** Stores a range of history as a fill does: all its points, and the coverage. */
  store(
    series: Series,
    range: readonly [Time, Time],
    points?: readonly (readonly [Time, unknown])[],
  ): Promise<void>;
  /** Forgets that a range is stored. */
  uncover(series: Series, range: readonly [Time, Time]): Promise<void>;
  /** Loads records of a stream, given by column, at a time that is made up. */
  load(stream: Stream, at: Time, rows: readonly Record_[]): Promise<void>;
  /** Deletes rows of a stream, as two scans without them do. */
  remove(stream: Stream, at: Time, keys: readonly Record_[]): Promise<void>;
}

/**
 * Makes one database for the tests of a file. Returns a function that empties it for another made-up plant.
 * The clock of the plant is that of Berlin.
 */
export function useMadePlant(): () => Promise<MadePlant> {
  let plant: MadePlant;
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    plant = makePlant(await openBi((close) => closers.push(close)));
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });
  return async () => {
    await plant.run(EMPTY_ALL);
    return plant;
  };
}

/** Empties all tables except what tells that ledger and views are up to date, and who holds locks. */
const EMPTY_ALL = `do $$ begin
  execute (select 'truncate ' || string_agg(c.oid::regclass::text, ', ') || ' restart identity'
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('plant', 'plantsync')
      and c.relname not in ('migrations', 'leases', 'views'));
end $$`;

function makePlant({ db }: BiDatabase): MadePlant {
  const ledger = createLedger(db, defaultSchemas);
  const store = createPostgresStore({ db, schema: defaultSchemas.data });
  const run = async (sql: string) => void (await db.query(sql));
  return {
    db,
    ledger,
    run,
    async ask(sql) {
      const { rows } = await db.query<{ row: string }>(
        `select row_to_json(q)::text as row from (${sql}) as q`,
      );
      return rows.map(({ row }) => Object.values(JSON.parse(row, (_, value) => timeOf(value))));
    },
    async series(name, primitiveType = 'String') {
      const [object = '', property = ''] = name.split('.');
      const [series] = await ledger.series.register([{ object, property, primitiveType }]);
      return series as Series;
    },
    async store(series, range, points = []) {
      const [from, to] = range.map(microsOf) as [number, number];
      const rows = { times: points.map(([at]) => microsOf(at)), values: points.map(([, value]) => value) };
      const normalized = await normalizePoints(series, rows);
      const place = { store: store.id, stream: 'history', range: { from, to } };
      await store.write({ ...place, series: [normalized.points], fresh: false }, (tx) =>
        ledger.coverage.add({ ...place, seriesIds: [series.id] }, tx),
      );
    },
    async uncover(series, range) {
      const [from, to] = range.map(microsOf) as [number, number];
      await ledger.coverage.remove({
        ...{ store: store.id, stream: 'history' },
        ...{ range: { from, to }, seriesIds: [series.id] },
      });
    },
    async load(stream, at, rows) {
      const table = await openTable(db, stream);
      await table.load(
        rows.map((row) => table.target.columns.map(({ name }) => (row[name] ?? null) as never)),
      );
      await moveTo(run, tableOf(stream), at);
    },
    async remove(stream, at, keys) {
      await deleteRows(db, defaultSchemas, stream, { keys, misses: 0, streams });
      await moveTo(run, tableOf(stream), at);
    },
  };
}

/** Moves what was just changed to a time that is made up: a time before this one is made up already. */
async function moveTo(run: MadePlant['run'], table: string, at: Time): Promise<void> {
  const isNew = (column: string) => `${column} > now() - interval '1 hour'`;
  await run(`update plantsync.changes set at = '${at}' where ${isNew('at')}`);
  await run(`update plant.${table} set first_seen_at = '${at}' where ${isNew('first_seen_at')}`);
  await run(`update plant.${table} set deleted_at = '${at}' where ${isNew('deleted_at')}`);
}

export function microsOf(time: Time): number {
  return Date.parse(`${time.replace(' ', 'T')}Z`) * 1000;
}

/** Writes instants as tests write them, and leaves all other values as they are. */
function timeOf(value: unknown): unknown {
  const [, day, time, second] =
    (typeof value === 'string' &&
      /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d(?:\.\d+)?)(?:\+00:00)?$/.exec(value)) ||
    [];
  return day === undefined ? value : `${day} ${time}${second === '00' ? '' : `:${second}`}`;
}

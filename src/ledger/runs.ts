import { hostname } from 'node:os';
import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { jsonText } from './json-text.ts';
import type { Leases } from './leases/leases.ts';
import {
  countIdleRuns,
  type ListedRun,
  listRuns,
  type RunFilter,
  type RunRecord,
  type RunStatus,
  runColumns,
  runOf,
} from './list-runs.ts';

export type { ListedRun, RunFilter, RunRecord, RunStatus };

export interface Runs {
  /** Notes the start of a run, and forgets the oldest runs. Resolves to the number of the new run. */
  start(run: { stream: string; kind: string; asked?: object | undefined }): Promise<number>;
  finish(id: number, end: RunEnd): Promise<void>;
  /** Notes how far a run is. Resolves to whether somebody asked that the run end. */
  noteProgress(id: number, progress: object | undefined): Promise<boolean>;
  /** Lists runs, the newest first. By default these are the newest 100 of all streams. */
  list(filter?: RunFilter): Promise<ListedRun[]>;
  /** Counts the runs that the filter `leaveIdle` leaves out. */
  countIdle(filter: RunFilter): Promise<number>;
  get(id: number): Promise<ListedRun | undefined>;
  /** Asks runs to end. Resolves to the numbers of those that are still running. */
  askToCancel(ids: readonly number[]): Promise<number[]>;
  /** Reads the runs of a kind that show signs of life, oldest first. */
  readRunning(kind: string): Promise<RunRecord[]>;
  /** Reads the newest run of every stream and kind, newest first. */
  readLast(): Promise<RunRecord[]>;
  /** Reads the newest run of one stream and kind. Resolves to undefined if there is none. */
  readNewest(run: { stream: string; kind: string }): Promise<RunRecord | undefined>;
  /** Returns when the last successful run that also read a lookback again began, in epoch microseconds. */
  readLastLookback(run: { stream: string; kind: string }): Promise<number | undefined>;
  /**
   * Counts the polls that were left out because another took too long, by the kind of the run. Only kept runs
   * count.
   */
  readSkippedPolls(): Promise<{ kind: string; skipped: number; since: number }[]>;
  /**
   * Reads the newest run of each of these streams and kinds, in their order. Also reads the time by the
   * database's clock (epoch milliseconds).
   */
  readNewestBegins(
    runs: readonly { stream: string; kind: string }[],
  ): Promise<{ found: (NewestBegin | undefined)[]; nowMs: number }>;
  /** Reads the newest comparison with the platform of each kind that has ended, the newest first. */
  readVerifications(): Promise<RunRecord[]>;
  /** Returns when the last successful run of each stream and kind began. */
  readLastSuccesses(): Promise<Success[]>;
}

/** How a run ended. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly summary?: object | undefined;
  readonly error?: string | undefined;
  /** How far the run came. */
  readonly progress?: object | undefined;
}

/** The newest run of a stream and kind. */
export interface NewestBegin {
  readonly id: number;
  /** Time since the run began, by the database's clock. */
  readonly ageMs: number;
  /** True if the run shows signs of life. */
  readonly isRunning: boolean;
}

/** The last successful run of a stream and kind. */
export interface Success {
  readonly stream: string;
  readonly kind: string;
  /** When the run began, in epoch microseconds. */
  readonly begunAt: number;
}

/** Number of runs kept of each stream and kind. Otherwise a poll every few seconds would fill the table. */
const KEPT_RUNS = 1000;

/** Makes the part of the ledger that keeps what was run, and how it ended. */
export function createRuns(db: Database, schemas: Schemas, holding: Leases): Runs {
  const table = quoteTable(schemas.ledger, 'runs');
  const leases = quoteTable(schemas.ledger, 'leases');
  const isAlive = `exists (select from ${leases} as l where l.id = lease and l.until > clock_timestamp())`;
  const columns = runColumns({ isAlive });
  return {
    async start({ stream, kind, asked }) {
      const { id: lease } = await holding.hold();
      const { rows } = await db.query(
        `with pruned as (
           delete from ${table} where stream = $1 and kind = $2 and id <= (
             select id from ${table} where stream = $1 and kind = $2 order by id desc offset ${KEPT_RUNS} limit 1))
         insert into ${table} (stream, kind, host, pid, lease, asked) values ($1, $2, $3, $4, $5, $6) returning id`,
        [stream, kind, hostname(), process.pid, lease, asked === undefined ? null : jsonText(asked)],
      );
      return rows[0]?.id as number;
    },

    async finish(id, { status, summary, error, progress }) {
      await db.query(
        `update ${table} set status = $2, summary = $3, error = $4, progress = coalesce($5, progress),
           beat_at = now(), finished_at = now() where id = $1`,
        [
          id,
          status,
          summary === undefined ? null : jsonText(summary),
          error?.replaceAll('\0', '\ufffd') ?? null,
          progress === undefined ? null : jsonText(progress),
        ],
      );
    },

    async askToCancel(ids) {
      const { rows } = await db.query(
        `update ${table} set cancel_asked_at = coalesce(cancel_asked_at, now()) where id = any($1) and status = 'running' returning id`,
        [ids],
      );
      return rows.map(({ id }) => id as number);
    },

    async noteProgress(id, progress) {
      const { rows } = await db.query(
        `update ${table} set progress = coalesce($2, progress) where id = $1
         returning cancel_asked_at is not null as asked`,
        [id, progress === undefined ? null : jsonText(progress)],
      );
      return rows[0]?.asked === true;
    },

    list: (filter = {}) => listRuns(db, { table, isAlive }, filter),
    countIdle: (filter) => countIdleRuns(db, { table }, filter),

    async get(id) {
      const { rows } = await db.query(`select ${columns} from ${table} where id = $1`, [id]);
      return rows.map(runOf)[0];
    },

    async readRunning(kind) {
      const { rows } = await db.query(
        `select ${columns} from ${table}
         where kind = $1 and status = 'running' and ${isAlive} order by id`,
        [kind],
      );
      return rows.map(runOf);
    },

    async readLast() {
      const { rows } = await db.query(
        `select distinct on (stream, kind) ${columns} from ${table} order by stream, kind, id desc`,
      );
      return rows.map(runOf).sort((a, b) => b.id - a.id);
    },

    async readNewest({ stream, kind }) {
      const { rows } = await db.query(
        `select ${columns} from ${table} where stream = $1 and kind = $2 order by id desc limit 1`,
        [stream, kind],
      );
      return rows[0] && runOf(rows[0]);
    },

    async readLastLookback({ stream, kind }) {
      const { rows } = await db.query(
        `select started_at from ${table}
         where stream = $1 and kind = $2 and status in ('done', 'partial') and (summary ->> 'lookedBack')::boolean
         order by id desc limit 1`,
        [stream, kind],
      );
      return rows[0]?.started_at as number | undefined;
    },

    async readSkippedPolls() {
      const { rows } = await db.query(
        `select kind, sum((summary ->> 'skippedPolls')::bigint)::int as skipped, min(started_at) as since
         from ${table} where stream = 'current' and kind like 'poll%'
         group by kind having sum((summary ->> 'skippedPolls')::bigint) > 0 order by kind`,
      );
      return rows.map((row) => ({
        kind: row.kind as string,
        skipped: row.skipped as number,
        since: row.since as number,
      }));
    },

    async readNewestBegins(runs) {
      const { rows } = await db.query(
        `select id, age_ms, running, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
         from unnest($1::text[], $2::text[]) with ordinality as wanted (stream, kind, place)
         left join lateral (
           select id, (extract(epoch from clock_timestamp() - started_at) * 1000)::float8 as age_ms,
             status = 'running' and ${isAlive} as running
           from ${table} as r where r.stream = wanted.stream and r.kind = wanted.kind order by r.id desc limit 1
         ) as newest on true
         order by place`,
        [runs.map(({ stream }) => stream), runs.map(({ kind }) => kind)],
      );
      const found = rows.map((row) =>
        row.id === null
          ? undefined
          : { id: row.id as number, ageMs: row.age_ms as number, isRunning: row.running as boolean },
      );
      return { found, nowMs: Number(rows[0]?.now_ms ?? Date.now()) };
    },

    async readVerifications() {
      const { rows } = await db.query(
        `select distinct on (kind) ${columns} from ${table}
         where kind like 'verify%' and summary ? 'verified' order by kind, id desc`,
      );
      return rows.map(runOf).sort((a, b) => b.id - a.id);
    },

    async readLastSuccesses() {
      const { rows } = await db.query(
        `select stream, kind, max(started_at) as begun from ${table}
         where status in ('done', 'partial') group by stream, kind`,
      );
      return rows.map((row) => ({
        stream: row.stream as string,
        kind: row.kind as string,
        begunAt: row.begun as number,
      }));
    },
  };
}

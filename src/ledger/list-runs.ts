import type { Database } from '../postgres/connect.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';

export type RunStatus = 'done' | 'partial' | 'failed' | 'interrupted';

export const runStatuses = ['running', 'done', 'partial', 'failed', 'interrupted', 'lost'] as const;

export interface RunRecord {
  readonly id: number;
  readonly stream: string;
  /** Kind of work: `scan`, `fill`, `poll`, … */
  readonly kind: string;
  /** When the run began, in epoch microseconds. */
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
  /** How the run ended. `lost`: the process died or lost the database before it could tell. */
  readonly status: RunStatus | 'running' | 'lost';
  readonly summary: unknown;
  readonly error: string | undefined;
}

/** A run with all that the ledger knows of it. */
export interface ListedRun extends RunRecord {
  /** The process that did the work. */
  readonly host: string;
  readonly pid: number;
  /** What the run was asked for. Undefined for a run of a schedule. */
  readonly asked: unknown;
  /** How far the run is, or was. Undefined for runs that do not tell. */
  readonly progress: unknown;
  readonly isCancelAsked: boolean;
}

export interface RunFilter {
  readonly stream?: string | undefined;
  /** The kind, or its first word: `increment` also finds `increment pump*` and its like. */
  readonly kind?: string | undefined;
  readonly status?: RunRecord['status'] | undefined;
  /** Runs that began from `from` on and before `to`, in epoch microseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Leaves out runs that were done and brought nothing. */
  readonly leaveIdle?: boolean | undefined;
  /** Numbers of orders whose runs are wanted. With `none`, only runs that no order asked for. */
  readonly orders?: readonly number[] | 'none' | undefined;
  /** Most runs to return. The default is 100. */
  readonly limit?: number | undefined;
  /** Number of the last run of the page before, if this is not the first page. */
  readonly after?: number | undefined;
}

/** The table of runs, and the SQL condition that the process of a run shows signs of life. */
export interface RunTable {
  readonly table: string;
  readonly isAlive: string;
}

/** Returns the SQL of the columns that `runOf` reads. */
export function runColumns({ isAlive }: Pick<RunTable, 'isAlive'>): string {
  return `id, stream, kind, summary, error, started_at, finished_at, host, pid, asked, progress,
    cancel_asked_at is not null as cancel_asked, ${statusSql(isAlive)} as status`;
}

/** A run whose process is gone counts as lost, even if nobody has noted that yet. */
function statusSql(isAlive: string): string {
  return `case when status = 'running' and not ${isAlive} then 'lost' else status end`;
}

/**
 * The SQL condition that a run was done and brought nothing: no record, no point, no change. Deliveries
 * begin every other second, and mostly have nothing to do.
 */
const IDLE = `(status = 'done' and coalesce(summary -> 'records', '0') = '0'
  and not jsonb_path_exists(coalesce(summary -> 'points', '{}'), '$.* ? (@ > 0)')
  and coalesce(summary -> 'deleted', '0') = '0' and coalesce(summary -> 'partRows', '0') = '0')`;

/** Counts the runs that `leaveIdle` leaves out. */
export async function countIdleRuns(
  db: Database,
  { table }: Pick<RunTable, 'table'>,
  { stream, kind, from, to }: RunFilter,
): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as count from ${table}
     where ${IDLE} and ($1::text is null or stream = $1)
       and ($2::text is null or kind = $2 or starts_with(kind, $2 || ' '))
       and ($3::timestamptz is null or started_at >= $3) and ($4::timestamptz is null or started_at < $4)`,
    [
      stream ?? null,
      kind ?? null,
      from === undefined ? null : timestamptzText(from),
      to === undefined ? null : timestamptzText(to),
    ],
  );
  return (rows[0] as { count: number }).count;
}

/** Lists runs, the newest first. */
export async function listRuns(
  db: Database,
  { table, isAlive }: RunTable,
  { stream, kind, status, from, to, orders, leaveIdle = false, limit = 100, after }: RunFilter,
): Promise<ListedRun[]> {
  const { rows } = await db.query(
    `select ${runColumns({ isAlive })} from ${table}
     where ($1::text is null or stream = $1)
       and ($2::text is null or kind = $2 or starts_with(kind, $2 || ' '))
       and ($3::text is null or ${statusSql(isAlive)} = $3)
       and ($4::timestamptz is null or started_at >= $4) and ($5::timestamptz is null or started_at < $5)
       and ($6::bigint is null or id < $6)
       and ($7::bigint[] is null or (asked ->> 'order')::bigint = any($7))
       and (not $8 or asked ->> 'order' is null)
       and (not $9 or not ${IDLE})
     order by id desc limit $10`,
    [
      stream ?? null,
      kind ?? null,
      status ?? null,
      from === undefined ? null : timestamptzText(from),
      to === undefined ? null : timestamptzText(to),
      after ?? null,
      orders === undefined || orders === 'none' ? null : orders,
      orders === 'none',
      leaveIdle,
      limit,
    ],
  );
  return rows.map(runOf);
}

export function runOf(row: Record<string, unknown>): ListedRun {
  return {
    id: row.id as number,
    stream: row.stream as string,
    kind: row.kind as string,
    startedAt: row.started_at as number,
    finishedAt: (row.finished_at as number | null) ?? undefined,
    status: row.status as RunRecord['status'],
    summary: row.summary,
    error: (row.error as string | null) ?? undefined,
    host: row.host as string,
    pid: row.pid as number,
    asked: row.asked ?? undefined,
    progress: row.progress ?? undefined,
    isCancelAsked: row.cancel_asked as boolean,
  };
}

import { hostname } from 'node:os';
import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import type { DependencyReports } from './dependency-report.ts';
import { jsonText } from './json-text.ts';

/** A job that should have begun long ago, and that no process runs. */
export interface OverdueJob {
  readonly job: string;
  /** Since when the job is due, in epoch milliseconds. */
  readonly dueMs: number;
  readonly overdueSec: number;
}

/** A process of the service. */
export interface ServiceRecord {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  readonly role: string;
  /** When the process began, in epoch microseconds. */
  readonly startedAt: number;
  /** When the process last showed a sign of life, in epoch microseconds. */
  readonly beatAt: number;
  /** True if the process has shown a sign of life lately. */
  readonly isAlive: boolean;
  readonly overdue: readonly OverdueJob[];
  /** What the process knew of its dependencies at its last sign of life. */
  readonly dependencies: DependencyReports;
}

/** What a process tells with each sign of life. */
export type ServiceBeat = Pick<ServiceRecord, 'overdue' | 'dependencies'>;

/** The processes of the service. */
export interface Services {
  /** Notes that a process has begun. Resolves to its number. */
  begin(role: string): Promise<number>;
  /**
   * Notes a sign of life. It does not wait for a free connection of the pool, which long work may hold. It
   * resolves to false if the process is not listed any more, and has to begin again.
   */
  beat(id: number, told: ServiceBeat): Promise<boolean>;
  /** Notes that a process has ended as it was told to. */
  end(id: number): Promise<void>;
  read(): Promise<ServiceRecord[]>;
}

/**
 * After this long without a sign of life a process counts as gone, or as stopped. It gives one every 5 s, so
 * three of them may come late.
 */
const LOST_AFTER = '20 seconds';
/** Processes that were killed are shown for this long. */
const KEPT_FOR = '7 days';

/** Makes the part of the ledger that keeps the processes of the service. */
export function createServices(db: Database, schemas: Schemas): Services {
  const table = quoteTable(schemas.ledger, 'services');
  return {
    async begin(role) {
      const { rows } = await db.queryInSession(
        `with pruned as (
           delete from ${table} where beat_at < now() - interval '${KEPT_FOR}' or (host = $1 and pid = $2))
         insert into ${table} (host, pid, role) values ($1, $2, $3) returning id`,
        [hostname(), process.pid, role],
      );
      return rows[0]?.id as number;
    },

    async beat(id, { overdue, dependencies }) {
      const { rowCount } = await db.queryInSession(
        `update ${table} set beat_at = now(), overdue = $2, dependencies = $3 where id = $1`,
        [id, jsonText(overdue), jsonText(dependencies)],
      );
      return rowCount === 1;
    },

    async end(id) {
      await db.query(`delete from ${table} where id = $1`, [id]);
    },

    async read() {
      const { rows } = await db.query(
        // While the server was away, nobody could give a sign of life.
        `select id, host, pid, role, started_at, beat_at, overdue, dependencies,
           greatest(beat_at, pg_postmaster_start_time()) > now() - interval '${LOST_AFTER}' as alive
         from ${table} order by id`,
      );
      return rows.map((row) => ({
        id: row.id as number,
        host: row.host as string,
        pid: row.pid as number,
        role: row.role as string,
        startedAt: row.started_at as number,
        beatAt: row.beat_at as number,
        isAlive: row.alive as boolean,
        overdue: row.overdue as OverdueJob[],
        dependencies: row.dependencies as DependencyReports,
      }));
    },
  };
}

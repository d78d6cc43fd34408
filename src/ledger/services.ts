import { hostname } from 'node:os';
import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
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
  readonly host: string;
  readonly pid: number;
  readonly role: string;
  /** When the process last showed a sign of life, in epoch microseconds. */
  readonly beatAt: number;
  /** True if the process has shown a sign of life in the last minute. */
  readonly isAlive: boolean;
  readonly overdue: readonly OverdueJob[];
}

/** The processes of the service. */
export interface Services {
  /** Notes that a process has begun. Resolves to its number. */
  begin(role: string): Promise<number>;
  /** Notes a sign of life, with the overdue jobs that the process sees. */
  beat(id: number, overdue: readonly OverdueJob[]): Promise<void>;
  /** Notes that a process has ended as it was told to. */
  end(id: number): Promise<void>;
  read(): Promise<ServiceRecord[]>;
}

/** After this long without a sign of life a process counts as gone, or as stopped. */
const LOST_AFTER = '1 minute';
/** Processes that were killed are shown for this long. */
const KEPT_FOR = '7 days';

/** Makes the part of the ledger that keeps the processes of the service. */
export function createServices(db: Database, schemas: Schemas): Services {
  const table = quoteTable(schemas.ledger, 'services');
  return {
    async begin(role) {
      const { rows } = await db.query(
        `with pruned as (
           delete from ${table} where beat_at < now() - interval '${KEPT_FOR}' or (host = $1 and pid = $2))
         insert into ${table} (host, pid, role) values ($1, $2, $3) returning id`,
        [hostname(), process.pid, role],
      );
      return rows[0]?.id as number;
    },

    async beat(id, overdue) {
      await db.query(`update ${table} set beat_at = now(), overdue = $2 where id = $1`, [
        id,
        jsonText(overdue),
      ]);
    },

    async end(id) {
      await db.query(`delete from ${table} where id = $1`, [id]);
    },

    async read() {
      const { rows } = await db.query(
        `select host, pid, role, beat_at, overdue, beat_at > now() - interval '${LOST_AFTER}' as alive
         from ${table} order by id`,
      );
      return rows.map((row) => ({
        host: row.host as string,
        pid: row.pid as number,
        role: row.role as string,
        beatAt: row.beat_at as number,
        isAlive: row.alive as boolean,
        overdue: row.overdue as OverdueJob[],
      }));
    },
  };
}

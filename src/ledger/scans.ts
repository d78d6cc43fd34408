import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from './schemas.ts';

export interface ScanEnd {
  /** The end of the list was proven. */
  readonly complete: boolean;
  /** The list did not change while it was read. */
  readonly stable: boolean;
  readonly pages: number;
  readonly records: number;
}

export interface ScanRecord extends ScanEnd {
  readonly id: number;
  /** Epoch microseconds; `finishedAt` is undefined while the scan is under way or if its process died. */
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
}

export interface Scans {
  /** Notes the start of a scan; resolves to its number. */
  start(stream: string): Promise<number>;
  finish(id: number, end: ScanEnd): Promise<void>;
  /** The newest scans of a stream, newest first. */
  readLast(stream: string, limit: number): Promise<ScanRecord[]>;
}

/** One entry per paging through a list. */
export function createScans(db: Database, schemas: Schemas): Scans {
  const table = quoteTable(schemas.ledger, 'scans');
  return {
    async start(stream) {
      const { rows } = await db.query(`insert into ${table} (stream) values ($1) returning id`, [stream]);
      return rows[0]?.id as number;
    },

    async finish(id, { complete, stable, pages, records }) {
      await db.query(
        `update ${table} set finished_at = now(), complete = $2, stable = $3, pages = $4, records = $5 where id = $1`,
        [id, complete, stable, pages, records],
      );
    },

    async readLast(stream, limit) {
      const { rows } = await db.query(
        `select id, complete, stable, pages, records,
           started_at,
           finished_at
         from ${table} where stream = $1 order by id desc limit $2`,
        [stream, limit],
      );
      return rows.map((row) => ({
        id: row.id as number,
        complete: row.complete as boolean,
        stable: row.stable as boolean,
        pages: row.pages as number,
        records: row.records as number,
        startedAt: row.started_at as number,
        finishedAt: (row.finished_at as number | null) ?? undefined,
      }));
    },
  };
}

import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';

export interface ScanEnd {
  /** True if the end of the list was proven. */
  readonly complete: boolean;
  /** True if the list did not change while it was read. */
  readonly stable: boolean;
  readonly pages: number;
  readonly records: number;
}

export interface ScanRecord extends ScanEnd {
  readonly id: number;
  /** Epoch microseconds. `finishedAt` is undefined while the scan is under way, or if its process died. */
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
}

/** A scan that has just begun, or that goes on. */
export interface OpenScan {
  readonly id: number;
  /** When the scan began, by the clock of Postgres, in epoch microseconds. */
  readonly startedAt: number;
  /** True if the scan goes on where a process that died stopped it. */
  readonly resumed: boolean;
}

export interface Scans {
  /**
   * Begins a scan, and forgets the oldest scans. The newest scan of the stream is taken up instead if it
   * never finished, began at most `resumeWithinMs` ago, and had equal `settings` (any text). Older scans that
   * never finished stay as they are.
   */
  begin(stream: string, options?: { resumeWithinMs?: number; settings?: string }): Promise<OpenScan>;
  finish(id: number, end: ScanEnd): Promise<void>;
  /**
   * Ends the scans of a stream that never finished, so that none of them is taken up. Resolves to their
   * number.
   */
  close(stream: string): Promise<number>;
  /** Reads the newest scans of a stream, newest first. */
  readLast(stream: string, limit: number): Promise<ScanRecord[]>;
}

/** Number of scans kept of each stream. Otherwise a list scanned every few seconds would fill the table. */
const KEPT_SCANS = 1000;

/** Makes the part of the ledger that keeps one entry for each scan. */
export function createScans(db: Database, schemas: Schemas): Scans {
  const table = quoteTable(schemas.ledger, 'scans');
  return {
    async begin(stream, { resumeWithinMs = 0, settings = '' } = {}) {
      const { rows } = await db.query(
        `with newest as (
           select id, started_at, finished_at, settings from ${table} where stream = $1 order by id desc limit 1),
         open as (
           select id, started_at from newest
           where finished_at is null and $2 > 0 and started_at >= now() - make_interval(secs => $2) and settings = $3),
         pruned as (
           delete from ${table} where stream = $1 and id <= (
             select id from ${table} where stream = $1 order by id desc offset ${KEPT_SCANS} limit 1)),
         made as (
           insert into ${table} (stream, settings) select $1, $3 where not exists (select from open) returning id, started_at)
         select id, started_at, true as resumed from open
         union all select id, started_at, false from made`,
        [stream, resumeWithinMs / 1000, settings],
      );
      const [{ id, started_at, resumed } = {}] = rows;
      return { id: id as number, startedAt: started_at as number, resumed: resumed as boolean };
    },

    async finish(id, { complete, stable, pages, records }) {
      await db.query(
        `update ${table} set finished_at = now(), complete = $2, stable = $3, pages = $4, records = $5 where id = $1`,
        [id, complete, stable, pages, records],
      );
    },

    async close(stream) {
      const { rowCount } = await db.query(
        `update ${table} set finished_at = now() where stream = $1 and finished_at is null`,
        [stream],
      );
      return rowCount ?? 0;
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

import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import type { DriftEntry } from '../streams/drift-entry.ts';
import { jsonText } from './json-text.ts';

export interface DriftRecord extends DriftEntry {
  readonly stream: string;
  /** Since when every scan has shown the drift, and when the last scan showed it. Epoch microseconds. */
  readonly since: number;
  readonly lastAt: number;
}

export interface Drift {
  /**
   * Replaces the drift of a stream by what its newest scan saw. Resolves to the entries that the scan before
   * did not have.
   */
  replace(stream: string, entries: readonly DriftEntry[]): Promise<DriftEntry[]>;
  /** Lists all drift, or that of one stream, by stream, table and member. */
  list(stream?: string): Promise<DriftRecord[]>;
  /** Counts the entries by stream. */
  count(): Promise<Map<string, number>>;
  /**
   * Forgets the drift of a stream, so that its next scan reports everything again. Resolves to the number of
   * entries forgotten.
   */
  forget(stream: string): Promise<number>;
}

/**
 * Most entries kept of a stream. A platform that puts data into the names of members must not fill the table.
 */
const MAX_ENTRIES = 1_000;

/** Makes the part of the ledger that keeps how the records of the platform differ from what is declared. */
export function createDrift(db: Database, schemas: Schemas): Drift {
  const table = quoteTable(schemas.ledger, 'drift');
  return {
    async replace(stream, entries) {
      const { rows } = await db.query(replaceSql(table), [stream, jsonText(entries)]);
      return rows.map(entryOf);
    },

    async list(stream) {
      const { rows } = await db.query(
        `select stream, table_name as "table", member, kind, since, last_at, count, sample
         from ${table} where $1::text is null or stream = $1 order by stream, table_name, member, kind`,
        [stream ?? null],
      );
      return rows.map((row) => ({
        stream: row.stream as string,
        ...entryOf(row),
        since: row.since as number,
        lastAt: row.last_at as number,
      }));
    },

    async count() {
      const { rows } = await db.query(
        `select stream, count(*)::int as entries from ${table} group by stream order by stream`,
      );
      return new Map(rows.map((row) => [row.stream as string, row.entries as number]));
    },

    async forget(stream) {
      const { rowCount } = await db.query(`delete from ${table} where stream = $1`, [stream]);
      return rowCount ?? 0;
    },
  };
}

/**
 * Returns the SQL that replaces the drift of a stream. Names that differ only in characters that Postgres
 * cannot hold are one entry. So they are grouped here, where they are already equal.
 */
function replaceSql(table: string): string {
  return `with given as materialized (
      select "table", member, kind, sum(count) as count, (array_agg(sample))[1] as sample
      from jsonb_to_recordset($2::jsonb) as a ("table" text, member text, kind text, count bigint, sample jsonb)
      group by "table", member, kind order by "table", member, kind limit ${MAX_ENTRIES}),
    gone as (
      delete from ${table} as d where stream = $1 and not exists (
        select from given as g where g."table" = d.table_name and g.member = d.member and g.kind = d.kind)),
    written as (
      insert into ${table} as d (stream, table_name, member, kind, count, sample)
      select $1, "table", member, kind, count, sample from given order by "table", member, kind
      on conflict (stream, table_name, md5(member), kind) do update
        set last_at = now(), count = excluded.count, sample = coalesce(excluded.sample, d.sample)
      returning table_name, member, kind, count, sample, xmax = 0 as fresh)
    select table_name as "table", member, kind, count, sample from written where fresh order by table_name, member, kind`;
}

function entryOf(row: Record<string, unknown>): DriftEntry {
  return {
    table: row.table as string,
    member: row.member as string,
    kind: row.kind as DriftEntry['kind'],
    count: row.count as number,
    sample: row.sample,
  };
}

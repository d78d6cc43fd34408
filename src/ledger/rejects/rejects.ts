import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { timestamptzText } from '../../postgres/type-parsers.ts';
import type { Range } from '../../series/types.ts';
import { rangesFromJson, rangesJson, rangesText } from '../range-text.ts';
import { addRejects } from './add-rejects.ts';
import type { Reject } from './reject.ts';

export type { Reject };

export interface RejectRecord extends Omit<Reject, 'range'> {
  readonly id: number;
  readonly count: number;
  /** Epoch microseconds: first and last time that it was met, and when it was settled (undefined while it is open). */
  readonly at: number;
  readonly lastAt: number;
  readonly resolvedAt: number | undefined;
  readonly resolved: boolean;
  /** Where refused points lie, at least; undefined where it is not known. */
  readonly ranges: readonly Range[] | undefined;
}

export interface RejectFilter {
  readonly stream?: string | undefined;
  readonly kind?: string | undefined;
  /** Open ones (false, the default), settled ones (true), or both. */
  readonly resolved?: boolean | 'both' | undefined;
  /** 100 if left out. */
  readonly limit?: number | undefined;
}

export interface Rejects {
  /**
   * Keeps rejects. The same (stream, kind, key, reason) is one row with a count. Beyond 10,000 open rows of a stream
   * all others with the same reason are counted in one row with the key `*`: bounded, and still nothing hidden.
   */
  add(rejects: readonly Reject[], tx?: Queryable): Promise<void>;
  /** The newest first; by default open ones of all streams, 100 of them. */
  list(filter?: RejectFilter): Promise<RejectRecord[]>;
  get(id: number): Promise<RejectRecord | undefined>;
  /** Open cases by stream (rows, not occurrences). */
  countOpen(): Promise<Map<string, number>>;
  /** Notes where the points of an open case lie, in place of what was known. */
  noteRanges(id: number, ranges: readonly Range[]): Promise<void>;
  /** Closes open cases that were not met again: those whose count is still the one given. Resolves to the ids of the closed. */
  resolve(cases: readonly Pick<RejectRecord, 'id' | 'stream' | 'count'>[]): Promise<Set<number>>;
  /**
   * Closes the open cases of a stream (of some keys only, if given) that were last met before an instant, epoch microseconds by
   * the clock of Postgres: a complete scan begun then did not meet them. Resolves to their number.
   */
  settle(what: { stream: string; beforeUs: number; keys?: readonly string[] }): Promise<number>;
}

/** Settled cases that are kept of each stream, the newest. */
const KEPT_SETTLED = 10_000;

/** What could not be used, with its reason. */
export function createRejects(db: Database, schemas: Schemas): Rejects {
  const table = quoteTable(schemas.ledger, 'rejects');
  const columns = `id, stream, kind, key, reason, count, sample, at, last_at, resolved_at,
    case when ranges is not null then ${rangesJson('ranges')} end as ranges`;
  return {
    add: (rejects, tx = db) => addRejects(tx, table, rejects),

    async list({ stream, kind, resolved = false, limit = 100 } = {}) {
      const { rows } = await db.query(
        `select ${columns} from ${table}
         where ($1::text is null or stream = $1) and ($2::text is null or kind = $2)
           and ($3::boolean is null or (resolved_at is not null) = $3)
         order by last_at desc, id desc limit $4`,
        [stream ?? null, kind ?? null, resolved === 'both' ? null : resolved, limit],
      );
      return rows.map(rejectOf);
    },

    async get(id) {
      const { rows } = await db.query(`select ${columns} from ${table} where id = $1`, [id]);
      return rows.map(rejectOf)[0];
    },

    async countOpen() {
      const { rows } = await db.query(
        `select stream, count(*)::int as open from ${table} where resolved_at is null group by stream order by stream`,
      );
      return new Map(rows.map((row) => [row.stream as string, row.open as number]));
    },

    async noteRanges(id, ranges) {
      await db.query(
        `update ${table} set ranges = $2::tstzmultirange where id = $1 and resolved_at is null`,
        [id, rangesText(ranges)],
      );
    },

    async resolve(cases) {
      const { rows } = await db.query(
        `update ${table} as r set resolved_at = now() from unnest($1::bigint[], $2::bigint[]) as asked (id, count)
         where r.id = asked.id and r.count = asked.count and r.resolved_at is null returning r.id`,
        [cases.map(({ id }) => id), cases.map(({ count }) => count)],
      );
      for (const stream of new Set(cases.map((each) => each.stream))) await forgetOld(db, table, stream);
      return new Set(rows.map((row) => row.id as number));
    },

    async settle({ stream, beforeUs, keys }) {
      const { rowCount } = await db.query(
        `update ${table} set resolved_at = now()
         where stream = $1 and resolved_at is null and last_at < $2 and ($3::text[] is null or key = any($3))`,
        [stream, timestamptzText(beforeUs), keys ?? null],
      );
      if (rowCount) await forgetOld(db, table, stream);
      return rowCount ?? 0;
    },
  };
}

/** A case that is settled and met again becomes a new row each time, so the settled ones need a bound, too. */
async function forgetOld(db: Queryable, table: string, stream: string): Promise<void> {
  await db.query(
    `delete from ${table} where id in (
       select id from ${table} where stream = $1 and resolved_at is not null
       order by resolved_at desc, id desc offset ${KEPT_SETTLED})`,
    [stream],
  );
}

function rejectOf(row: Record<string, unknown>): RejectRecord {
  const resolvedAt = (row.resolved_at as number | null) ?? undefined;
  return {
    id: row.id as number,
    stream: row.stream as string,
    kind: row.kind as string,
    key: row.key as string,
    reason: row.reason as string,
    count: row.count as number,
    sample: row.sample,
    at: row.at as number,
    lastAt: row.last_at as number,
    resolvedAt,
    resolved: resolvedAt !== undefined,
    ranges: row.ranges === null ? undefined : rangesFromJson(row.ranges),
  };
}

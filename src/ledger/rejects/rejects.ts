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
  /**
   * When the case was first met, last met and settled, in epoch microseconds. `resolvedAt` is undefined while
   * the case is open.
   */
  readonly at: number;
  readonly lastAt: number;
  readonly resolvedAt: number | undefined;
  readonly resolved: boolean;
  /** Whether a person has settled the case, and what that person noted. */
  readonly dismissed: boolean;
  readonly note: string | undefined;
  /** Ranges in which refused points lie, at least. Undefined if they are not known. */
  readonly ranges: readonly Range[] | undefined;
}

export interface RejectFilter {
  readonly stream?: string | undefined;
  readonly kind?: string | undefined;
  /** The default is `open`. Dismissed cases are settled, too. */
  readonly state?: RejectState | 'all' | undefined;
  /** Most cases to return. The default is 100. */
  readonly limit?: number | undefined;
  /** The last case of the page before, if this is not the first page. */
  readonly after?: Pick<RejectRecord, 'lastAt' | 'id'> | undefined;
}

export const rejectStates = ['open', 'settled', 'dismissed'] as const;
export type RejectState = (typeof rejectStates)[number];

export interface Rejects {
  /**
   * Keeps rejects. Those with the same stream, kind, key and reason are one row with a count. If a stream has
   * 10,000 open rows, further rejects are counted by reason in rows with the key `*`. So the table is
   * bounded, and nothing is hidden.
   */
  add(rejects: readonly Reject[], tx?: Queryable): Promise<void>;
  /** Lists cases, those met last first. By default these are 100 open cases of all streams. */
  list(filter?: RejectFilter): Promise<RejectRecord[]>;
  get(id: number): Promise<RejectRecord | undefined>;
  /** Counts the open cases by stream (rows, not occurrences). */
  countOpen(): Promise<Map<string, number>>;
  /** Notes the ranges in which the points of an open case lie, instead of the ranges known before. */
  noteRanges(id: number, ranges: readonly Range[]): Promise<void>;
  /**
   * Closes open cases whose count is still the given one, because they were not met again. Resolves to the
   * ids of the closed cases.
   */
  resolve(cases: readonly Pick<RejectRecord, 'id' | 'stream' | 'count'>[]): Promise<Set<number>>;
  /**
   * Closes open cases because a person says so, with a note on who and why. A case that is met again opens
   * again. Resolves to the ids of the closed cases.
   */
  dismiss(ids: readonly number[], note: string): Promise<Set<number>>;
  /**
   * Closes the open cases of a stream that were last met before an instant, or only those with some keys. A
   * complete scan that began at this instant did not meet them. The instant is in epoch microseconds by the
   * clock of Postgres. Resolves to the number of closed cases.
   */
  settle(what: { stream: string; beforeUs: number; keys?: readonly string[] }): Promise<number>;
}

/** Conditions on the rows of each state. */
const inState: Readonly<Record<RejectState | 'all', string>> = {
  open: 'resolved_at is null',
  settled: 'resolved_at is not null',
  dismissed: 'dismissed',
  all: 'true',
};

/** Number of settled cases that are kept of each stream, the newest. */
const KEPT_SETTLED = 10_000;

/** Makes the part of the ledger that keeps rejects with their reasons. */
export function createRejects(db: Database, schemas: Schemas): Rejects {
  const table = quoteTable(schemas.ledger, 'rejects');
  const columns = `id, stream, kind, key, reason, count, sample, at, last_at, resolved_at, dismissed, note,
    case when ranges is not null then ${rangesJson('ranges')} end as ranges`;
  return {
    add: (rejects, tx = db) => addRejects(tx, table, rejects),

    async list({ stream, kind, state = 'open', limit = 100, after } = {}) {
      const { rows } = await db.query(
        `select ${columns} from ${table}
         where ($1::text is null or stream = $1) and ($2::text is null or kind = $2) and ${inState[state]}
           and ($3::timestamptz is null or (last_at, id) < ($3, $4::bigint))
         order by last_at desc, id desc limit $5`,
        [
          stream ?? null,
          kind ?? null,
          after === undefined ? null : timestamptzText(after.lastAt),
          after?.id ?? null,
          limit,
        ],
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

    async dismiss(ids, note) {
      const { rows } = await db.query(
        `update ${table} set resolved_at = now(), dismissed = true, note = $2
         where id = any($1::bigint[]) and resolved_at is null returning id, stream`,
        [ids, note.replaceAll('\0', '\ufffd')],
      );
      for (const stream of new Set(rows.map((row) => row.stream as string)))
        await forgetOld(db, table, stream);
      return new Set(rows.map(({ id }) => id as number));
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

/**
 * Forgets old settled cases. A settled case that is met again becomes a new row, so the settled ones need a
 * bound too.
 */
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
    dismissed: row.dismissed as boolean,
    note: (row.note as string | null) ?? undefined,
    ranges: row.ranges === null ? undefined : rangesFromJson(row.ranges),
  };
}

import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import { jsonText } from './json-text.ts';
import type { Schemas } from './schemas.ts';

/** Something that the platform sent and that could not be used. */
export interface Reject {
  readonly stream: string;
  /** `record`, `point`, or the kind of trouble. */
  readonly kind: string;
  /** Key of the record, or name of the series. */
  readonly key: string;
  readonly reason: string;
  /** How often; 1 if left out. */
  readonly count?: number;
  /** What was received, or a part of it that shows the trouble: any JSON value. */
  readonly sample?: unknown;
}

export interface RejectRecord extends Reject {
  readonly id: number;
  readonly count: number;
  /** Epoch microseconds: first and last time that it was met. */
  readonly at: number;
  readonly lastAt: number;
  readonly resolved: boolean;
}

export interface Rejects {
  /**
   * Keeps rejects. The same (stream, kind, key, reason) is one row with a count. Beyond 10,000 open rows of a stream
   * all others with the same reason are counted in one row with the key `*`: bounded, and still nothing hidden.
   */
  add(rejects: readonly Reject[], tx?: Queryable): Promise<void>;
  /** The newest first; by default open ones of all streams, 100 of them. */
  list(filter?: { stream?: string; resolved?: boolean; limit?: number }): Promise<RejectRecord[]>;
  /** Open cases by stream (rows, not occurrences). */
  countOpen(): Promise<Map<string, number>>;
  /** Closes the open cases of a stream, of one key or of all; resolves to their number. */
  resolve(what: { stream: string; key?: string }): Promise<number>;
}

const maxOpenPerStream = 10_000;

/** What could not be used, with its reason. */
export function createRejects(db: Database, schemas: Schemas): Rejects {
  const table = quoteTable(schemas.ledger, 'rejects');
  return {
    async add(rejects, tx = db) {
      for (const stream of new Set(rejects.map((reject) => reject.stream))) {
        const ofStream = rejects.filter((reject) => reject.stream === stream);
        const { rows } = await tx.query(
          `select count(*)::int as open from ${table} where stream = $1 and resolved_at is null`,
          [stream],
        );
        await upsert(tx, table, mergeEqual(ofStream, maxOpenPerStream - (rows[0]?.open as number)));
      }
    },

    async list({ stream, resolved = false, limit = 100 } = {}) {
      const { rows } = await db.query(
        `select id, stream, kind, key, reason, count, sample,
           at, last_at
         from ${table} where ($1::text is null or stream = $1) and (resolved_at is not null) = $2
         order by last_at desc, id desc limit $3`,
        [stream ?? null, resolved, limit],
      );
      return rows.map((row) => rejectOf(row, resolved));
    },

    async countOpen() {
      const { rows } = await db.query(
        `select stream, count(*)::int as open from ${table} where resolved_at is null group by stream order by stream`,
      );
      return new Map(rows.map((row) => [row.stream as string, row.open as number]));
    },

    async resolve({ stream, key }) {
      const { rowCount } = await db.query(
        `update ${table} set resolved_at = now() where stream = $1 and resolved_at is null and ($2::text is null or key = $2)`,
        [stream, key ?? null],
      );
      return rowCount ?? 0;
    },
  };
}

function rejectOf(row: Record<string, unknown>, resolved: boolean): RejectRecord {
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
    resolved,
  };
}

/** One reject per (stream, kind, key, reason), counts added, the last sample kept; keys beyond `room` become `*`. */
function mergeEqual(rejects: readonly Reject[], room: number): Reject[] {
  const merged = new Map<string, Reject>();
  for (const reject of rejects) {
    const identity = ({ stream, kind, key, reason }: Reject) => JSON.stringify([stream, kind, key, reason]);
    const fits = merged.has(identity(reject)) || merged.size < room;
    const kept = fits ? reject : { ...reject, key: '*' };
    const count = (merged.get(identity(kept))?.count ?? 0) + (reject.count ?? 1);
    merged.set(identity(kept), { ...kept, count });
  }
  return [...merged.values()];
}

async function upsert(db: Queryable, table: string, rejects: readonly Reject[]): Promise<void> {
  await db.query(
    `insert into ${table} as r (stream, kind, key, reason, count, sample)
     select stream, kind, key, reason, count, sample
     from jsonb_to_recordset($1::jsonb) as a (stream text, kind text, key text, reason text, count bigint, sample jsonb)
     order by stream, kind, key, reason
     on conflict (stream, kind, md5(key), md5(reason)) where resolved_at is null do update
       set count = r.count + excluded.count, last_at = now(), sample = excluded.sample`,
    [jsonText(rejects)],
  );
}

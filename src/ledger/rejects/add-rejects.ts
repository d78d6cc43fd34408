import type { Queryable } from '../../postgres/queryable.ts';
import { jsonText } from '../json-text.ts';
import { rangeText } from '../range-text.ts';
import type { Reject } from './reject.ts';

const MAX_OPEN_PER_STREAM = 10_000;
/** Separate ranges kept of one case. If there are more, one range around all of them is kept. */
const MAX_RANGES = 100;

/** Keeps rejects in the table, as `Rejects.add` says. */
export async function addRejects(db: Queryable, table: string, rejects: readonly Reject[]): Promise<void> {
  for (const stream of new Set(rejects.map((reject) => reject.stream))) {
    const merged = mergeEqual(rejects.filter((reject) => reject.stream === stream));
    const { rows } = await db.query(
      `select count(*)::int as open from ${table} where stream = $1 and resolved_at is null`,
      [stream],
    );
    const room = MAX_OPEN_PER_STREAM - (rows[0]?.open as number);
    await upsert(db, table, merged.length <= room ? merged : await bound(db, table, { merged, room }));
  }
}

/**
 * Merges rejects with equal stream, kind, key, reason and range. Counts are added, and the last sample is
 * kept.
 */
function mergeEqual(rejects: readonly Reject[]): Reject[] {
  const merged = new Map<string, Reject>();
  for (const reject of rejects) {
    const { stream, kind, key, reason, range } = reject;
    const identity = JSON.stringify([stream, kind, key, reason, range]);
    const count = (merged.get(identity)?.count ?? 0) + (reject.count ?? 1);
    merged.set(identity, { ...reject, count });
  }
  return [...merged.values()];
}

/**
 * Bounds the rejects of a stream. Those of open cases stay as they are, since they need no new row. Others
 * stay while there is room; the rest get the key `*`.
 */
async function bound(
  db: Queryable,
  table: string,
  { merged, room }: { merged: readonly Reject[]; room: number },
): Promise<Reject[]> {
  const { rows } = await db.query(
    `select n from rows from (jsonb_to_recordset($1::jsonb) as (stream text, kind text, key text, reason text))
       with ordinality as a (stream, kind, key, reason, n)
     join ${table} as r on r.stream = a.stream and r.kind = a.kind and md5(r.key) = md5(a.key)
       and md5(r.reason) = md5(a.reason) and r.resolved_at is null`,
    [jsonText(merged.map(({ stream, kind, key, reason }) => ({ stream, kind, key, reason })))],
  );
  const known = new Set(rows.map((row) => (row.n as number) - 1));
  const taken = new Set<string>();
  return mergeEqual(
    merged.map((reject, n) => {
      const identity = JSON.stringify([reject.kind, reject.key, reject.reason]);
      if (known.has(n) || taken.has(identity)) return reject;
      if (taken.size < room) {
        taken.add(identity);
        return reject;
      }
      const { range: _, ...unplaced } = reject;
      return { ...unplaced, key: '*' };
    }),
  );
}

/**
 * Writes rejects into the table. Keys and reasons that differ only in characters that Postgres cannot hold
 * are one case. So rejects are grouped here, where these texts are already equal.
 */
async function upsert(db: Queryable, table: string, rejects: readonly Reject[]): Promise<void> {
  await db.query(
    `insert into ${table} as r (stream, kind, key, reason, count, sample, ranges)
     select stream, kind, key, reason, sum(count), (array_agg(sample order by n desc))[1], ${bounded('range_agg(range)')}
     from rows from (jsonb_to_recordset($1::jsonb)
       as (stream text, kind text, key text, reason text, count bigint, sample jsonb, range tstzrange))
       with ordinality as a (stream, kind, key, reason, count, sample, range, n)
     group by stream, kind, key, reason order by stream, kind, key, reason
     on conflict (stream, kind, md5(key), md5(reason)) where resolved_at is null do update
       set count = r.count + excluded.count, last_at = now(), sample = excluded.sample,
         ranges = ${bounded("coalesce(r.ranges, '{}') + coalesce(excluded.ranges, '{}')")}`,
    [jsonText(rejects.map(({ range, ...rest }) => ({ ...rest, range: range && rangeText(range) })))],
  );
}

/**
 * Returns SQL for ranges: as they are, or one range around them if they are too many. Null if there is no
 * range.
 */
function bounded(ranges: string): string {
  return `(select case when isempty(m) then null when (select count(*) from unnest(m)) > ${MAX_RANGES}
    then tstzmultirange(range_merge(m)) else m end from (select ${ranges} as m) as counted)`;
}

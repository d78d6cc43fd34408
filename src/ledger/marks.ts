import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';

/** Texts that change whenever a part of the ledger does, by the name of the part. */
export type LedgerMarks = Readonly<Record<LedgerPart, string>>;
type LedgerPart = 'runs' | 'backfills' | 'rejects' | 'control' | 'changes' | 'drift';

/**
 * Reads one short text for each part of the ledger that people look at. A text stays the same as long as
 * nothing of its part has changed, so that nobody reads the part again in vain.
 */
export async function readMarks(db: Database, schemas: Schemas): Promise<LedgerMarks> {
  const table = (name: string) => quoteTable(schemas.ledger, name);
  const { rows } = await db.query(
    `select
       (select concat(max(id), ' ', max(finished_at)) from ${table('runs')}) as runs,
       concat((select concat(max(id), ' ', max(taken_at), ' ', max(cancel_asked_at), ' ', max(finished_at)) from ${table('orders')}), ' ',
              (select concat(count(*), ' ', sum((progress ->> 'done')::float8)) from ${table('runs')}
               where status = 'running' and progress is not null)) as backfills,
       (select concat(max(last_at), ' ', count(*) filter (where resolved_at is null)) from ${table('rejects')}) as rejects,
       concat((select concat(count(*), ' ', max(since)) from ${table('pauses')}), ' ',
              (select concat(max(id), ' ', max(taken_at)) from ${table('triggers')})) as control,
       (select max(id)::text from ${table('changes')}) as changes,
       (select concat(count(*), ' ', sum(count)) from ${table('drift')}) as drift`,
  );
  return rows[0] as unknown as LedgerMarks;
}

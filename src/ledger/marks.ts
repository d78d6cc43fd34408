import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';

/** Texts that change whenever a part of the ledger does, by the name of the part. */
export type LedgerMarks = Readonly<Record<'runs' | 'rejects' | 'control' | 'changes' | 'drift', string>>;

/**
 * Reads one short text for each part of the ledger that people look at. A text stays the same as long as
 * nothing of its part has changed, so that nobody reads the part again in vain.
 */
export async function readMarks(db: Database, schemas: Schemas): Promise<LedgerMarks> {
  const table = (name: string) => quoteTable(schemas.ledger, name);
  const { rows } = await db.query(
    `select
       (select concat(max(id), ' ', max(finished_at)) from ${table('runs')}) as runs,
       (select concat(max(last_at), ' ', count(*) filter (where resolved_at is null)) from ${table('rejects')}) as rejects,
       concat((select concat(count(*), ' ', max(since)) from ${table('pauses')}), ' ',
              (select concat(max(id), ' ', max(taken_at)) from ${table('triggers')})) as control,
       (select max(id)::text from ${table('changes')}) as changes,
       (select concat(count(*), ' ', sum(count)) from ${table('drift')}) as drift`,
  );
  return rows[0] as unknown as LedgerMarks;
}

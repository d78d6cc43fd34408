import { StoreError } from '../errors.ts';
import type { Database } from '../postgres/connect.ts';
import { quoteName, quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import { changeSchema, ensureSchema, hasRelation, hasSchema } from '../postgres/schema-change.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { migrations } from './migrations/all.ts';
import type { Migration } from './migrations/migration.ts';

export interface MigrationReport {
  /** Number of the newest step that the ledger has. */
  readonly version: number;
  /** Names of the steps taken by this call, in their order. */
  readonly applied: readonly string[];
}

/**
 * Brings the ledger's tables up to date in one transaction, so that all steps are taken or none. Several
 * processes may call it at once. A ledger that is up to date is only looked at, so that no right to make
 * tables is needed. Throws a `StoreError` if a newer program has already changed the ledger.
 */
export async function migrate(
  db: Database,
  schemas: Schemas,
  steps: readonly Migration[] = migrations,
): Promise<MigrationReport> {
  const newest = steps.at(-1)?.number ?? 0;
  if ((await readVersion(db, schemas)) === newest && (await hasSchema(db, schemas.data)))
    return { version: newest, applied: [] };
  return changeSchema(db, 'migrating the ledger', async (tx) => {
    await ensureSchema(tx, schemas.ledger);
    await ensureSchema(tx, schemas.data);
    const version = await readVersion(tx, schemas);
    if (version > newest)
      throw new StoreError(
        'ledger.newer_version',
        `the ledger in schema ${schemas.ledger} has version ${version}, this program knows ${newest}: ` +
          'use the newer program that changed the ledger',
        { action: 'stop' },
      );
    await tx.query(`create table if not exists ${quoteTable(schemas.ledger, 'migrations')} (
      number integer primary key, name text not null, applied_at timestamptz not null default now())`);
    const missing = steps.filter((step) => step.number > version);
    for (const step of missing) await takeStep(tx, schemas, step);
    return { version: newest, applied: missing.map((step) => step.name) };
  });
}

/** Returns the number of the newest step that was taken. Returns 0 if no step was. */
async function readVersion(db: Queryable, schemas: Schemas): Promise<number> {
  const table = quoteTable(schemas.ledger, 'migrations');
  if (!(await hasRelation(db, table))) return 0;
  const { rows } = await db.query(`select coalesce(max(number), 0) as version from ${table}`);
  return rows[0]?.version as number;
}

async function takeStep(tx: Queryable, schemas: Schemas, step: Migration): Promise<void> {
  await tx.query(
    step.sql({ ledger: quoteName(schemas.ledger), data: quoteName(schemas.data), bi: quoteName(schemas.bi) }),
  );
  await tx.query(`insert into ${quoteTable(schemas.ledger, 'migrations')} (number, name) values ($1, $2)`, [
    step.number,
    step.name,
  ]);
}

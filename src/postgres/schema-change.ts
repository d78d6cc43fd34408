import type { PoolClient } from 'pg';
import type { Database } from './connect.ts';
import { quoteName } from './names.ts';
import { asStoreError } from './postgres-errors.ts';
import type { Queryable } from './queryable.ts';
import { inTransaction } from './transaction.ts';

/**
 * Does work that changes tables, in one transaction. Only one process of an installation does such work at a
 * time: all of it takes the same lock, which ends with the transaction. `what` is for errors: "migrating the
 * ledger".
 */
export function changeSchema<T>(
  db: Database,
  what: string,
  work: (tx: PoolClient) => Promise<T>,
): Promise<T> {
  const change = async (tx: PoolClient): Promise<T> => {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `plantsync:schema ${db.installation}`,
    ]);
    return work(tx);
  };
  return inTransaction(db, change, { what });
}

/**
 * Brings tables of a schema up to date with the statements that `find` finds missing, and makes the schema.
 * Most looks find none, and then no lock is taken: nobody waits who only looks. Another process may be
 * quicker, so `find` looks once more under the lock.
 */
export async function bringUpToDate(
  db: Database,
  { schema, what }: { readonly schema: string; readonly what: string },
  find: (db: Queryable) => Promise<string[]>,
): Promise<void> {
  if ((await look(db, what, find)).length === 0) return;
  await changeSchema(db, what, async (tx) => {
    await ensureSchema(tx, schema);
    await runStatements(tx, await find(tx));
  });
}

/** Asks on one connection, without a lock. Errors of statements name the work that they are part of. */
async function look(
  db: Database,
  what: string,
  find: (db: Queryable) => Promise<string[]>,
): Promise<string[]> {
  const client = await db.connect();
  let usable = false;
  try {
    const found = await find(client);
    usable = true;
    return found;
  } catch (error) {
    throw asStoreError(error, what);
  } finally {
    client.release(!usable);
  }
}

/**
 * Makes a schema that is missing, within `changeSchema`. The function looks for the schema first, because
 * `create schema if not exists` needs the right to create one even if it exists.
 */
export async function ensureSchema(tx: Queryable, schema: string): Promise<void> {
  if (!(await hasSchema(tx, schema))) await tx.query(`create schema ${quoteName(schema)}`);
}

/**
 * Runs statements that return no rows, within `changeSchema`. All of them go to the server at once, because
 * the way there costs more than most of them.
 */
export async function runStatements(tx: Queryable, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await tx.query(statements.join(';\n'));
}

/** Returns true if there is a table or index of this quoted name. */
export async function hasRelation(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await db.query('select to_regclass($1) is not null as exists', [name]);
  return rows[0]?.exists === true;
}

/** Returns true if there is a schema of this name. */
export async function hasSchema(db: Queryable, schema: string): Promise<boolean> {
  const { rows } = await db.query('select nspname from pg_namespace where nspname = $1', [schema]);
  return rows.length > 0;
}

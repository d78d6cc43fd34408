import { StoreError } from '../errors.ts';
import type { Database } from './connect.ts';
import { quoteName } from './names.ts';
import { type Ownership, readOwnership } from './ownership.ts';
import { listViewTransfers } from './view-ownership.ts';

interface Rights {
  readonly may_create: boolean;
  readonly may_use_temporary: boolean;
}

interface SchemaRights {
  readonly name: string;
  /** Null if there is no such schema. */
  readonly may_use: boolean | null;
  readonly may_create: boolean | null;
}

/**
 * Refuses a user who lacks rights that plantsync needs. The owner of the tables must be able to make missing
 * schemas, and tables in the others. So must a user where there are no tables yet. Any other user must be
 * able to write to all tables. Both use temporary tables. The owner of the tables must also own the views of
 * schema `bi`, if that is given. The `StoreError` names the statements that give the missing rights. Resolves
 * to the owner of the tables if that is another role.
 */
export async function checkPrivileges(
  db: Database,
  schemas: readonly string[],
  bi?: string,
): Promise<string | undefined> {
  const ownership = await readOwnership(db, schemas);
  const isOwner = ownership.owner === undefined;
  const found = await readSchemas(db, isOwner && bi !== undefined ? [...schemas, bi] : schemas);
  const temporary = await listDatabaseGrants(db, found, ownership);
  const views = bi === undefined ? [] : await listViewTransfers(db, bi);
  if (isOwner) {
    const grants = [...temporary, ...listSchemaGrants(db, found, 'usage, create'), ...views];
    if (grants.length > 0) throw refusal(db, `lacks rights; run as an administrator: ${grants.join('; ')}`);
    return undefined;
  }
  const grants = [...temporary, ...listSchemaGrants(db, found, 'usage'), ...ownership.grants];
  if (grants.length > 0)
    throw refusal(
      db,
      `neither owns the tables, which belong to ${ownership.owner}, nor may write to all of them. As an administrator ` +
        `give them to the user: ${[...ownership.transfer, ...views].join('; ')}; or, if ${ownership.owner} is to keep them, let the ` +
        `user write: ${grants.join('; ')}`,
    );
  return ownership.owner;
}

async function listDatabaseGrants(
  db: Database,
  found: readonly SchemaRights[],
  { owner }: Ownership,
): Promise<string[]> {
  const { rows: rights } = await db.query<Rights & Record<string, unknown>>(
    `select has_database_privilege(current_database(), 'create') as may_create,
            has_database_privilege(current_database(), 'temporary') as may_use_temporary`,
  );
  const lacksSchemas = owner === undefined && found.some(({ may_use }) => may_use === null);
  const missing = [
    ...(rights[0]?.may_create === false && lacksSchemas ? ['create'] : []),
    ...(rights[0]?.may_use_temporary === false ? ['temporary'] : []),
  ];
  if (missing.length === 0) return [];
  return [`grant ${missing.join(', ')} on database ${quoteName(db.database)} to ${quoteName(db.user)}`];
}

function listSchemaGrants(
  db: Database,
  found: readonly SchemaRights[],
  rights: 'usage' | 'usage, create',
): string[] {
  const lacks = ({ may_use, may_create }: SchemaRights) =>
    may_use === false || (rights !== 'usage' && may_create === false);
  return found
    .filter(lacks)
    .map(({ name }) => `grant ${rights} on schema ${quoteName(name)} to ${quoteName(db.user)}`);
}

async function readSchemas(db: Database, schemas: readonly string[]): Promise<SchemaRights[]> {
  const { rows } = await db.query<SchemaRights & Record<string, unknown>>(
    `select name, has_schema_privilege(n.oid, 'usage') as may_use, has_schema_privilege(n.oid, 'create') as may_create
       from unnest($1::text[]) as name left join pg_namespace n on n.nspname = name`,
    [schemas],
  );
  return rows;
}

function refusal({ host, port, user }: Database, what: string): StoreError {
  return new StoreError('postgres.no_rights', `PostgreSQL at ${host}:${port}: user ${user} ${what}`, {
    action: 'stop',
  });
}

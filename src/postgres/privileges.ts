import { StoreError } from '../errors.ts';
import type { Database } from './connect.ts';
import { postgresStore } from './errors.ts';
import { quoteName } from './names.ts';

interface Rights {
  readonly may_create: boolean;
  readonly may_use_temporary: boolean;
}

interface SchemaRights {
  readonly name: string;
  /** Null where there is no such schema. */
  readonly may_use: boolean | null;
  readonly may_create: boolean | null;
}

/**
 * Refuses a user who may not do what plantsync needs: make the schemas that are missing, make tables in those that are there, and
 * use temporary tables. The `StoreError` names all grants that are missing.
 */
export async function checkPrivileges(db: Database, schemas: readonly string[]): Promise<void> {
  const { rows: rights } = await db.query<Rights & Record<string, unknown>>(
    `select has_database_privilege(current_database(), 'create') as may_create,
            has_database_privilege(current_database(), 'temporary') as may_use_temporary`,
  );
  const { rows } = await db.query<SchemaRights & Record<string, unknown>>(
    `select name, has_schema_privilege(n.oid, 'usage') as may_use, has_schema_privilege(n.oid, 'create') as may_create
       from unnest($1::text[]) as name left join pg_namespace n on n.nspname = name`,
    [schemas],
  );
  const onDatabase = [
    ...(rights[0]?.may_create === false && rows.some(({ may_use }) => may_use === null) ? ['create'] : []),
    ...(rights[0]?.may_use_temporary === false ? ['temporary'] : []),
  ];
  const user = quoteName(db.user);
  const grants = [
    ...(onDatabase.length > 0
      ? [`grant ${onDatabase.join(', ')} on database ${quoteName(db.database)} to ${user}`]
      : []),
    ...rows
      .filter(({ may_use, may_create }) => may_use === false || may_create === false)
      .map(({ name }) => `grant usage, create on schema ${quoteName(name)} to ${user}`),
  ];
  if (grants.length > 0)
    throw new StoreError(
      `PostgreSQL at ${db.host}:${db.port}: user ${db.user} has not all rights; as an administrator: ${grants.join('; ')}`,
      postgresStore,
      'stop',
    );
}

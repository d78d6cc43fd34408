import { escapeIdentifier } from 'pg';
import { StoreError } from '../errors.ts';

/** Postgres silently cuts a longer name, so that two names could become one. */
const MAX_NAME_BYTES = 63;

/** Returns a name as it stands in SQL: quoted. Throws a `StoreError` if Postgres would cut the name. */
export function quoteName(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > MAX_NAME_BYTES)
    throw new StoreError(
      'postgres.bad_name',
      `the name "${name}" has ${bytes} bytes, PostgreSQL takes 1 to ${MAX_NAME_BYTES}: choose another`,
      { action: 'stop' },
    );
  return escapeIdentifier(name);
}

/** Returns the quoted name of a table in a schema. */
export function quoteTable(schema: string, table: string): string {
  return `${quoteName(schema)}.${quoteName(table)}`;
}

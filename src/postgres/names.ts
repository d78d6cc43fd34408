import { escapeIdentifier } from 'pg';
import { StoreError } from '../errors.ts';
import { POSTGRES_STORE } from './postgres-errors.ts';

/** Postgres silently cuts a longer name, so that two of them could become one. */
const MAX_NAME_BYTES = 63;

/** A name as it stands in SQL: quoted, and refused if Postgres would cut it. */
export function quoteName(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > MAX_NAME_BYTES)
    throw new StoreError(
      `the name "${name}" has ${bytes} bytes, PostgreSQL takes 1 to ${MAX_NAME_BYTES}: choose another`,
      POSTGRES_STORE,
      'stop',
    );
  return escapeIdentifier(name);
}

/** The quoted name of a table in a schema. */
export function quoteTable(schema: string, table: string): string {
  return `${quoteName(schema)}.${quoteName(table)}`;
}

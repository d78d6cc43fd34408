/** Names of the Postgres schemas in use, not quoted. */
export interface Schemas {
  /** Schema of the ledger, by default `plantsync`. */
  readonly ledger: string;
  /** Schema of the data, by default `plant`. */
  readonly data: string;
  /** Schema of the views for BI tools, by default `bi`. */
  readonly bi: string;
}

/**
 * Returns the identity of Postgres as a store. The ledger is in the same database, so a database that was
 * moved or restored keeps its coverage.
 */
export function postgresStoreId(dataSchema: string): string {
  return `postgres:${dataSchema}`;
}

export const defaultSchemas: Schemas = { ledger: 'plantsync', data: 'plant', bi: 'bi' };

/** Whatever runs a statement: the database, a client, an open transaction. Parameters and results as in `type-parsers`. */
export interface Queryable {
  readonly query: (
    text: string,
    values?: unknown[],
  ) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
}

import type { Schemas } from '../../postgres/schemas.ts';

/** One numbered step of the ledger's tables. A released step is never changed: a change is a new step. */
export interface Migration {
  /** Number of the step, larger than the numbers of all steps before it. */
  readonly number: number;
  readonly name: string;
  /**
   * Returns the SQL of the step for quoted schemas. It runs inside the migration's transaction, when both
   * schemas exist.
   */
  readonly sql: (quoted: Schemas) => string;
}

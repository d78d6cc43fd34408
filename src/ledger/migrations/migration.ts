import type { Schemas } from '../../postgres/schemas.ts';

/** One numbered step of the ledger's tables. It is never changed once released: a change is a new number. */
export interface Migration {
  /** Larger than those of all steps before it. */
  readonly number: number;
  readonly name: string;
  /** The SQL of the step; schemas come quoted. Both schemas exist when it runs, inside the migration's transaction. */
  readonly sql: (quoted: Schemas) => string;
}

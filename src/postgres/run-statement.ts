import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { StoreError } from '../errors.ts';
import { currentFence } from './fence.ts';
import type { LockWatch } from './lock-watch.ts';
import { asStoreError, isConflict } from './postgres-errors.ts';
import type { Prepared } from './queryable.ts';
import { transact } from './transact.ts';

/** Returns a statement and its values in the form that the driver takes. */
export function asConfig(statement: string | Prepared, values: unknown[] | undefined): QueryConfig {
  return { ...(typeof statement === 'string' ? { text: statement } : statement), ...(values && { values }) };
}

/** What goes on around a statement. */
export interface AroundStatement {
  readonly watch?: LockWatch;
  /** Waits until nobody cancels the statement any more. Then the client may do something else. */
  readonly settle?: () => Promise<void>;
}

/**
 * Runs one statement and gives the client back. If the client cannot be trusted any more, it is thrown away.
 * A statement that writes behind a fence runs in a transaction, which asks the fence.
 */
export async function runStatement<R extends QueryResultRow>(
  client: PoolClient,
  config: QueryConfig,
  { watch, settle }: AroundStatement = {},
): Promise<QueryResult<R>> {
  // A transaction gives the client back itself.
  const isFenced = currentFence() !== undefined && writes(config.text);
  let failure: Error | undefined;
  try {
    return isFenced ? await transact(client, () => client.query<R>(config)) : await client.query<R>(config);
  } catch (error) {
    failure = asStoreError(watch?.explain(error) ?? error, describe(config));
    throw failure;
  } finally {
    await settle?.();
    if (!isFenced) client.release(isUnsure(failure));
  }
}

/** Returns true if the session may not be what it was. */
function isUnsure(failure: Error | undefined): boolean {
  return failure instanceof StoreError && failure.action === 'retry' && !isConflict(failure);
}

/**
 * Returns true if a statement may change anything. No query of ours calls a function that changes something.
 */
function writes(text: string): boolean {
  return !/^\s*(select|show)\b/i.test(text);
}

function describe({ text }: QueryConfig): string {
  return `statement "${text.trim().split(/\s+/).slice(0, 4).join(' ')}"`;
}

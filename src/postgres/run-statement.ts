import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { StoreError } from '../errors.ts';
import { currentFence } from './fence.ts';
import type { LockWatch } from './lock-watch.ts';
import { asStoreError } from './postgres-errors.ts';
import type { Prepared } from './queryable.ts';
import { transact } from './transact.ts';

/** Returns a statement and its values in the form that the driver takes. */
export function asConfig(statement: string | Prepared, values: unknown[] | undefined): QueryConfig {
  return { ...(typeof statement === 'string' ? { text: statement } : statement), ...(values && { values }) };
}

/**
 * Runs one statement and gives the client back. If the client cannot be trusted any more, it is thrown away.
 * A statement that writes behind a fence runs in a transaction, which asks the fence.
 */
export async function runStatement<R extends QueryResultRow>(
  client: PoolClient,
  config: QueryConfig,
  watch?: LockWatch,
): Promise<QueryResult<R>> {
  try {
    return currentFence() !== undefined && writes(config.text)
      ? await transact(client, () => client.query<R>(config))
      : await runPlain(client, config);
  } catch (error) {
    throw asStoreError(watch?.explain(error) ?? error, describe(config));
  }
}

async function runPlain<R extends QueryResultRow>(
  client: PoolClient,
  config: QueryConfig,
): Promise<QueryResult<R>> {
  let broken = false;
  try {
    return await client.query<R>(config);
  } catch (error) {
    const failure = asStoreError(error, describe(config));
    broken = failure instanceof StoreError && failure.action === 'retry';
    throw error;
  } finally {
    client.release(broken);
  }
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

import { PlatformError } from '../errors.ts';
import type { OperationId } from '../platform/operations.ts';
import type { Platform } from '../platform/platform.ts';
import { operationInput } from './operation-input.ts';

export interface ExistenceQuestion {
  /** An operation that reads one item by its name. */
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * What the platform says of an item. `refused`: the platform does not say. It may have dropped the item, or
 * this application may not call the operation.
 */
export type Existence = 'present' | 'gone' | 'refused';

/**
 * Asks whether the platform still has one item. Only the platform's own answer that the item does not exist
 * counts as `gone`. 800001, "operation failed", does not: the platform also sends it to an application
 * without the right to ask. Throws any other failure.
 */
export async function askExistence(
  platform: Platform,
  { operation, path, signal }: ExistenceQuestion,
): Promise<Existence> {
  try {
    await platform.call(operation, operationInput({ path }), { signal });
    return 'present';
  } catch (error) {
    if (!(error instanceof PlatformError) || !error.refusesItem) throw error;
    return error.deniesItem ? 'gone' : 'refused';
  }
}

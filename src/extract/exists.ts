import { PlatformError } from '../errors.ts';
import type { OperationId } from '../platform/operations.ts';
import type { Platform } from '../platform/platform.ts';
import type { OperationInput } from '../platform/shapes.ts';

export interface ExistenceQuestion {
  /** An operation that reads one item by its name. */
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** `refused`: the platform will not say. It may have the item no more, or the operation may not be open to this application. */
export type Existence = 'present' | 'gone' | 'refused';

/**
 * Whether the platform still has one item. Only its own answer that the item does not exist says that it has not: 800001, "operation failed", is
 * also what it answers to whoever may not ask. Any other failure is thrown.
 */
export async function askExistence(
  platform: Platform,
  { operation, path, signal }: ExistenceQuestion,
): Promise<Existence> {
  try {
    await platform.call(operation, { path } as unknown as OperationInput<OperationId>, { signal });
    return 'present';
  } catch (error) {
    if (!(error instanceof PlatformError) || !error.refusesItem) throw error;
    return error.deniesItem ? 'gone' : 'refused';
  }
}

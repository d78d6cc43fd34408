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

/**
 * Whether the platform still has one item. A refusal of just this item says that it has not (the specification answers 400 with
 * 800001 to whatever it does not find); any other failure is thrown, since it says nothing.
 */
export async function exists(
  platform: Platform,
  { operation, path, signal }: ExistenceQuestion,
): Promise<boolean> {
  try {
    await platform.call(operation, { path } as unknown as OperationInput<OperationId>, { signal });
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.refusesItem) return false;
    throw error;
  }
}

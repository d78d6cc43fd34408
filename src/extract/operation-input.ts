import type { OperationId } from '../platform/operations.ts';
import type { OperationInput } from '../platform/shapes.ts';

/** The parameters of an operation that is chosen at run time. */
export interface OperationParameters {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Makes the input of an operation whose parameters come as data. The declaration of the stream, and not a
 * type, says which parameters the operation takes.
 */
export function operationInput<Id extends OperationId>({
  path,
  query,
}: OperationParameters): OperationInput<Id> {
  return { ...(path && { path }), ...(query && { query }) } as unknown as OperationInput<Id>;
}

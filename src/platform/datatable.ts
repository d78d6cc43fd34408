import { PlatformError } from '../errors.ts';
import { isObject } from './is-object.ts';
import type { OperationId } from './operations.ts';

/**
 * Refuses datatable requests that would hit every row or say nothing: an empty condition of a delete (its whole body) or of
 * an update (`where`), and empty new values. Throws a `PlatformError` of kind `parameter`; nothing is sent.
 */
export function guardDatatable(id: OperationId, body: unknown): void {
  const refuse = (what: string): never => {
    throw new PlatformError(`${id}: ${what}; nothing was sent`, {
      kind: 'parameter',
      action: 'skip',
      operation: id,
    });
  };
  if (id === 'addDatatableEntry' && isEmpty(body)) refuse('the entry is empty; state its values');
  if (id === 'deleteDatatableEntry' && isEmpty(body))
    refuse('an empty condition would delete every entry; state one');
  if (id !== 'updateDatatableEntry') return;
  const { update, where } = isObject(body) ? body : {};
  if (isEmpty(where)) refuse('an empty "where" would change every entry; state a condition');
  if (isEmpty(update)) refuse('"update" is empty; state the new values');
}

function isEmpty(value: unknown): boolean {
  return !isObject(value) || Object.keys(value).length === 0;
}

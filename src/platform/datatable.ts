import { PlatformError } from '../errors.ts';
import { isObject } from './json/is-object.ts';
import { WrittenJson } from './json/written-json.ts';
import type { OperationId } from './operations.ts';

const guarded = new Set<OperationId>(['addDatatableEntry', 'deleteDatatableEntry', 'updateDatatableEntry']);

/**
 * Refuses datatable requests that would hit every entry or say nothing. These have an empty condition of a
 * delete (its whole body) or of an update (`where`), or empty new values. A written body that states a member
 * twice is refused too: the platform may take the value that is not checked here. Throws a `PlatformError` of
 * kind `parameter` for such a request. Nothing is sent then.
 */
export function guardDatatable(id: OperationId, input: unknown): void {
  const refuse = (what: string): never => {
    throw new PlatformError('platform.unsafe_write', `${id}: ${what}; nothing was sent`, {
      kind: 'parameter',
      action: 'skip',
      operation: id,
    });
  };
  if (!guarded.has(id)) return;
  const body = input instanceof WrittenJson ? input.value : input;
  if (input instanceof WrittenJson && input.repeatedMember !== undefined)
    refuse(`the body states ${JSON.stringify(input.repeatedMember)} twice; state it once`);
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

import { UsageError } from '../../errors.ts';

/** The place of an item in a list that goes by a time and a number, the newest first. */
export interface Place {
  /** Epoch microseconds. */
  readonly at: number;
  readonly id: number;
}

export const numberCursor = (id: number): string => String(id);

/** Reads a cursor that is a number. Throws a `UsageError` for any other text. */
export function numberIn(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,16}$/.test(cursor)) throw wrongCursor();
  return Number(cursor);
}

export const placeCursor = ({ at, id }: Place): string => `${at}.${id}`;

/** Reads a cursor of a time and a number. Throws a `UsageError` for any other text. */
export function placeIn(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, at, id] = /^(\d{1,16})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw wrongCursor();
  return { at: Number(at), id: Number(id) };
}

function wrongCursor(): UsageError {
  return new UsageError('usage.wrong_request', 'after: give the `next` of the page before, as it is');
}

/** Makes a page of a list of which one item more than the limit was read. */
export function itemsOf<T, R>(
  found: readonly T[],
  { limit, describe, cursor }: { limit: number; describe: (item: T) => R; cursor: (last: T) => string },
): { items: R[]; next?: string } {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { items: shown.map(describe), ...(hasMore && { next: cursor(last) }) };
}

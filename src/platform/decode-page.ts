import { complaintBeside } from './complaint.ts';
import { MalformedReply } from './failure.ts';
import { isObject } from './json/is-object.ts';
import type { Page } from './platform.ts';

/**
 * Reads one page of a list: `{list, pagination: {total}}`. A null list counts as empty only if `total` is 0.
 * Throws `MalformedReply` if the reply has no list.
 */
export function decodePage(body: unknown, bytes: number): Page {
  if (!isObject(body)) throw new MalformedReply('the reply is not an object with a list');
  const pagination = body.pagination;
  const total = countOf(isObject(pagination) ? pagination.total : body.total);
  const list = body.list === null && total === 0 ? [] : body.list;
  if (!Array.isArray(list)) throw new MalformedReply('the reply has no member list');
  const page = { items: list, total, bytes };
  return complaintBeside(body) === undefined ? page : { ...page, complains: true };
}

/** Returns a count that is given as a number or as digits. Returns undefined for anything else. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

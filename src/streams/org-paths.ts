import { isObject } from '../platform/json/is-object.ts';
import type { Part } from './define.ts';
import { listOf, numberEntries } from './entries.ts';
import type { FindNode } from './node-finder.ts';

/**
 * Makes the reader of entries that name an organization node. An entry may have only a path, as a bare text
 * or as `orgPath`. It then gets the names of the node that has this path. If no node has the path, the entry
 * stays without names. A record without the member says nothing.
 */
export function readNodeEntries(member: string): Part['entries'] {
  return (record, findNode) =>
    record[member] === undefined
      ? undefined
      : numberEntries(listOf(record[member]).map((entry) => nameNode(entry, findNode)));
}

function nameNode(entry: unknown, findNode: FindNode | undefined): unknown {
  const told = typeof entry === 'string' ? { orgPath: entry } : entry;
  if (!isObject(told) || !isUntold(told.orgName) || !isUntold(told.nodeName)) return told;
  const found = typeof told.orgPath === 'string' ? findNode?.(told.orgPath) : undefined;
  return found === undefined ? told : { ...told, orgName: found.org, nodeName: found.node };
}

function isUntold(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

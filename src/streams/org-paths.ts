import { isObject } from '../platform/json/is-object.ts';
import type { Part } from './define.ts';
import { listOf, numberEntries } from './entries.ts';
import type { FindNode } from './node-finder.ts';

/**
 * Reads the entries that name a node of an organization. One that tells a path alone, as a bare text or as
 * `orgPath`, gets the names of the node that has this path; where none has it, the path stays without names.
 * A record without the member says nothing.
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

import type { Part } from './define.ts';
import { listOf, numberEntries } from './entries.ts';

/**
 * Entries that name a node of an organization. One that is a bare text is the path of the node: its first name is the
 * tree, its last the node. A record without the member says nothing about them.
 */
export function splitPaths(member: string): Part['entries'] {
  return (record) =>
    record[member] === undefined ? undefined : numberEntries(listOf(record[member]).map(splitPath));
}

function splitPath(entry: unknown): unknown {
  if (typeof entry !== 'string') return entry;
  const names = entry.split('/').filter((name) => name !== '');
  return { orgName: names[0], nodeName: names.at(-1), orgPath: entry };
}

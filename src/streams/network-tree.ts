import { isObject } from '../platform/json/is-object.ts';
import type { RawRecord } from './define.ts';
import { isAlias, joinPath, listOf, numberEntry } from './entries.ts';

/**
 * The node above another one: its alias, and its path, which is null without a usable name. Undefined at the
 * top.
 */
type Above = { readonly name: unknown; readonly path: string | null; readonly depth: number } | undefined;

/**
 * Lists the nodes of a network in the order of the platform, each followed by the nodes below it. The place
 * of a node in the tree is in members that begin with `#`. A node without a name, and all nodes below it, get
 * no path, so that each is refused by name. Throws a `TypeError` if the reply holds no list of children.
 */
export function listNetworkNodes(reply: unknown): Iterable<unknown> {
  // Inside of the tree null means a leaf. At the root it may as well mean that the platform does not know.
  if (!isObject(reply) || reply.children === undefined || reply.children === null)
    throw new TypeError('the reply has no list "children", which holds the nodes of a network');
  return walk(reply.children);
}

/** The nodes below one parent, and the next of them to visit. */
interface Level {
  readonly nodes: readonly unknown[];
  readonly above: Above;
  next: number;
}

/**
 * Yields the nodes one at a time, since there may be any number of them. It keeps a stack, since nothing
 * bounds the depth.
 */
function* walk(children: unknown): Generator<unknown> {
  const levels: Level[] = [{ nodes: listOf(children), above: undefined, next: 0 }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { nodes, above } = level;
    if (level.next >= nodes.length) {
      levels.pop();
      continue;
    }
    const node = numberEntry(nodes[level.next], level.next);
    level.next += 1;
    if (!isObject(node)) {
      yield node;
      continue;
    }
    const { children: inner, ...members } = node;
    const placed = { ...members, ...placeOf(node, above) };
    yield placed;
    const below = { name: node.name, path: placed['#path'], depth: placed['#depth'] };
    levels.push({ nodes: listOf(inner), above: below, next: 0 });
  }
}

/**
 * Selects the nodes of some templates and the nodes above them. Entries that are no nodes stay, to be refused
 * by name.
 */
export function selectTemplates(nodes: readonly unknown[], templates: unknown): unknown[] {
  const wanted = new Set(listOf(templates));
  const above = new Set<unknown>();
  const selected: unknown[] = [];
  // Each node comes after the nodes above it, so the list is read from its end.
  for (const node of nodes.toReversed()) {
    if (isObject(node) && !wanted.has(node.templateName) && !above.has(node['#path'])) continue;
    selected.push(node);
    if (isObject(node) && node['#parentPath'] !== null) above.add(node['#parentPath']);
  }
  return selected.reverse();
}

function placeOf({ name }: RawRecord, above: Above) {
  return {
    '#path': isAlias(name) && above?.path !== null ? joinPath(above?.path, name) : null,
    '#parent': above?.name ?? null,
    '#parentPath': above?.path ?? null,
    '#depth': (above?.depth ?? 0) + 1,
  };
}

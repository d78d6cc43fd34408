import { isObject } from '../platform/json/is-object.ts';
import type { RawRecord } from './define.ts';
import { isAlias, joinPath, listOf, numberEntry } from './entries.ts';

/** What is above a node: its alias and path, null where it has no usable name; undefined at the top. */
type Above = { readonly name: unknown; readonly path: string | null; readonly depth: number } | undefined;

/**
 * The nodes of a network in the order of the platform, each followed by those below it, with its place in the tree in
 * members that begin with `#`. A node without a name, and all below it, get no path, so that each is refused by name.
 *
 * @throws TypeError if the reply holds no list of children
 */
export function listNetworkNodes(reply: unknown): Iterable<unknown> {
  // Null is a leaf inside of the tree. At its root it may as well mean that the platform could not tell.
  if (!isObject(reply) || reply.children === undefined || reply.children === null)
    throw new TypeError('the reply has no list "children", which holds the nodes of a network');
  return walk(reply.children);
}

/** The nodes below one parent, and how far the walk has come among them. */
interface Level {
  readonly nodes: readonly unknown[];
  readonly above: Above;
  next: number;
}

/** One node at a time, whatever number of them there is. A stack, since nothing bounds the depth. */
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

/** Of the nodes of a network, those of the templates and those above them; entries that are no nodes stay, to be refused by name. */
export function selectTemplates(nodes: readonly unknown[], templates: unknown): unknown[] {
  const wanted = new Set(listOf(templates));
  const above = new Set<unknown>();
  const selected: unknown[] = [];
  // Each node comes after those above it.
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

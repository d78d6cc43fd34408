import { isObject } from '../platform/is-object.ts';
import type { RawRecord } from './define.ts';
import { isAlias, joinPath, listOf, numberEntries } from './entries.ts';

/** What is above a node: its alias and path, null where it has no usable name; undefined at the top. */
type Above = { readonly name: unknown; readonly path: string | null; readonly depth: number } | undefined;

/**
 * The nodes of a network in the order of the platform, each followed by those below it, with its place in the tree in
 * members that begin with `#`. A node without a name, and all below it, get no path, so that each is refused by name.
 *
 * @throws TypeError if the reply holds no list of children
 */
export function listNetworkNodes(reply: unknown): unknown[] {
  // Null is a leaf inside of the tree. At its root it may as well mean that the platform could not tell.
  if (!isObject(reply) || reply.children === undefined || reply.children === null)
    throw new TypeError('the reply has no list "children", which holds the nodes of a network');
  const found: unknown[] = [];
  // A stack, since nothing bounds the depth.
  const stack = openLevel(reply.children, undefined);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, above } = next;
    if (!isObject(node)) {
      found.push(node);
      continue;
    }
    const { children, ...members } = node;
    const placed = { ...members, ...placeOf(node, above) };
    found.push(placed);
    const below = { name: node.name, path: placed['#path'], depth: placed['#depth'] };
    for (const child of openLevel(children, below)) stack.push(child);
  }
  return found;
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

/** The nodes of one level, last first, as a stack wants them. */
function openLevel(children: unknown, above: Above): { node: unknown; above: Above }[] {
  return numberEntries(listOf(children))
    .map((node) => ({ node, above }))
    .reverse();
}

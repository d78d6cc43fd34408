import type { Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { cleanKey } from './truth-entries.ts';
import { cleanText, isAskable, keyedRows, pathOf } from './truth-reader.ts';

/** Lists every node, of every tree whose name can be asked for, with the alias of its tree. */
export function allNodes(truth: Truth): { org: string; node: PlainRecord }[] {
  const orgs = new Set(truth.records('listOrgs').map(({ name }) => name));
  return [...orgs]
    .filter(isAskable)
    .map(String)
    .flatMap((org) =>
      truth.records('listOrgNodes', { path: { orgName: org } }).map((node) => ({ org, node })),
    );
}

/** Returns the name of the node above each node, by the path of tree and node. */
export function parentsOf(all: readonly { org: string; node: PlainRecord }[]): Map<string, string | null> {
  return new Map(all.map(({ org, node }) => [pathOf([org, cleanKey(node.name)]), cleanKey(node.parent)]));
}

/** Returns the names from the tree down to a node. Returns null where no path leads to the node. */
export function namesTo(
  org: string,
  name: string | null,
  parents: ReadonlyMap<string, string | null>,
): (string | null)[] | null {
  const names = [name];
  for (let at = name; names.length <= parents.size; ) {
    const parent = parents.get(pathOf([org, at]));
    if (parent === undefined) return null;
    if (parent === org || parent === null || parent === '') return [org, ...names];
    names.unshift(parent);
    at = parent;
  }
  return null;
}

/**
 * Creates a function that names the node of an entry with a path alone, if exactly one node of the truth has
 * that path. Else the path stays alone.
 */
export function createNodeNamer(truth: Truth): (entry: unknown) => unknown {
  const all = allNodes(truth);
  const parents = parentsOf(all);
  const nodes = keyedRows(
    all.map(({ org, node }) => ({ org, name: cleanKey(node.name) })),
    ['org', 'name'],
  ) as { org: string; name: string }[];
  const trees = keyedRows(
    truth.records('listOrgs').map(({ name }) => ({ name: cleanKey(name) })),
    ['name'],
  ) as { name: string }[];
  const known = [
    ...nodes.flatMap(({ org, name }) => {
      const names = namesTo(org, name, parents);
      return names === null ? [] : [{ org, name, path: names.join('/') }];
    }),
    ...trees.map(({ name }) => ({ org: name, name, path: name })),
    // Its names are those of the root, so the path of the root stands for two nodes.
    ...nodes.filter(({ org, name }) => org === name).map((node) => ({ ...node, path: node.org })),
  ];
  return (entry) => {
    if (typeof entry !== 'string') return entry;
    const text = cleanText(entry);
    const same = known.filter(({ path }) => [path, `/${path}`, `${path}/`, `/${path}/`].includes(text));
    const [one] = same;
    return one === undefined || same.length > 1
      ? { orgPath: entry }
      : { orgName: one.org, nodeName: one.name, orgPath: entry };
  };
}

/**
 * An organization node by the name of its tree and its own name. The root of a tree has the name of the tree.
 */
export interface NodeName {
  readonly org: string;
  readonly node: string;
}

/**
 * A node that exists, with the names from the root down to it. They are joined by slashes, as the platform
 * joins them.
 */
export interface NodePath extends NodeName {
  readonly path: string;
}

/** Finds the one node that has a path. Returns undefined if no node has the path, or if several have it. */
export type FindNode = (path: string) => NodeName | undefined;

/**
 * Makes the function that finds a node among the nodes that exist. A name may hold slashes, so a path cannot
 * be split into names. It is compared as a whole, with or without a slash at either end.
 */
export function createNodeFinder(nodes: readonly NodePath[]): FindNode {
  const byPath = new Map<string, NodeName[]>();
  for (const { org, node, path } of nodes) {
    const same = byPath.get(path);
    if (same === undefined) byPath.set(path, [{ org, node }]);
    else same.push({ org, node });
  }
  return (path) => {
    const found = spellingsOf(path).flatMap((spelling) => byPath.get(spelling) ?? []);
    return found.length === 1 ? found[0] : undefined;
  };
}

function spellingsOf(path: string): string[] {
  const [headless, tailless] = [path.replace(/^\//, ''), path.replace(/\/$/, '')];
  return [...new Set([path, headless, tailless, headless.replace(/\/$/, '')])];
}

/** An organization node by the names of its tree and its own; the root of a tree has the name of the tree. */
export interface NodeName {
  readonly org: string;
  readonly node: string;
}

/** A node that exists, and the names from its root down to it, joined by slashes as the platform joins them. */
export interface NodePath extends NodeName {
  readonly path: string;
}

/** Finds the one node that has a path; undefined where no node has it, or several have. */
export type FindNode = (path: string) => NodeName | undefined;

/**
 * Makes the finder among the nodes that exist. A name may hold slashes, so a path cannot be taken apart: it is compared
 * as a whole, with or without a slash at either end.
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

import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import type { NodePath } from '../../streams/node-finder.ts';

/**
 * Reads the organization nodes that have a path, and the roots of the trees. A path is the names joined by
 * slashes, without escapes. A node below a root may have the name of the root. It is then returned with the
 * path of the root as well, so that this path stands for more than one node. The order is always the same.
 */
export async function readNodePaths(db: Database, schema: string): Promise<NodePath[]> {
  const [trees, nodes] = [quoteTable(schema, 'org_trees'), quoteTable(schema, 'org_nodes')];
  const { rows } = await db.query<{ org: string; node: string; path: string }>(
    `select org, name as node, replace(replace(path, '~1', '/'), '~0', '~') as path from ${nodes}
     where deleted_at is null and path is not null
     union all
     select name, name, name from ${trees} where deleted_at is null
     union all
     select org, name, org from ${nodes} where deleted_at is null and name = org
     order by org, node, path`,
  );
  return rows;
}

import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { NodePath } from '../streams/node-finder.ts';

/**
 * Reads the organization nodes to which a way leads, and the roots of the trees, with their names joined by slashes as they are.
 * A root is left out where a node below it has its name: the names tell that node.
 */
export async function readNodePaths(db: Database, schema: string): Promise<NodePath[]> {
  const [trees, nodes] = [quoteTable(schema, 'org_trees'), quoteTable(schema, 'org_nodes')];
  const { rows } = await db.query<{ org: string; node: string; path: string }>(
    `select org, name as node, replace(replace(path, '~1', '/'), '~0', '~') as path from ${nodes}
     where deleted_at is null and path is not null
     union all
     select name, name, name from ${trees} as _t
     where deleted_at is null and not exists (
       select from ${nodes} as _n where _n.org = _t.name and _n.name = _t.name and _n.deleted_at is null)`,
  );
  return rows;
}

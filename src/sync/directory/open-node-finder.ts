import { ensureTables } from '../../load/rows/ensure-tables.ts';
import { readNodePaths } from '../../load/rows/read-node-paths.ts';
import type { Stream } from '../../streams/define.ts';
import { createNodeFinder, type FindNode, type NodePath } from '../../streams/node-finder.ts';
import { orgNodes } from '../../streams/org-nodes.ts';
import { orgTrees } from '../../streams/org-trees.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';

/**
 * Makes the finder of organization nodes, among those in the tables, for a stream whose records name nodes.
 * Rows are then right before they are compared, so a scan that learns nothing changes nothing. Returns the
 * nodes, too, or nothing if no record names a node or nodes are not read.
 */
export async function openNodeFinder(
  ctx: SyncContext,
  { parts = [] }: Stream,
): Promise<{ readonly findNode?: FindNode; readonly nodes?: readonly NodePath[] }> {
  if (!parts.some(({ namesNodes }) => namesNodes) || !settingsOf(ctx.config, orgNodes).enabled) return {};
  for (const stream of [orgTrees, orgNodes])
    await ensureTables(ctx.db, ctx.schemas.data, stream, settingsOf(ctx.config, stream));
  const nodes = await readNodePaths(ctx.db, ctx.schemas.data);
  return { nodes, findNode: createNodeFinder(nodes) };
}

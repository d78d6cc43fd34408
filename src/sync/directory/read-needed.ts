import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import type { NeededFirst } from '../selection/needed-first.ts';
import { syncSnapshot } from './sync-stream.ts';

/** Reads the parts of the directory that other work needs, as far as they were never read. */
export async function readNeeded(
  ctx: SyncContext,
  { streams }: Pick<NeededFirst, 'streams'>,
): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const stream of streams) summaries.push(await syncSnapshot(ctx, stream, { onlyUnread: true }));
  return summaries;
}

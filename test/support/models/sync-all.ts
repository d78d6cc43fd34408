import { streams } from '../../../src/streams/index.ts';
import { type SnapshotOptions, syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import type { RunSummary } from '../../../src/sync/run-summary.ts';
import type { SimulatedPlant } from '../plant-context.ts';

/** Reads every list, and the details of every record. */
export async function syncAll(
  { ctx }: Pick<SimulatedPlant, 'ctx'>,
  options: SnapshotOptions = {},
): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const stream of streams)
    summaries.push(await syncSnapshot(ctx, stream, { allDetails: true, ...options }));
  return summaries;
}

/**
 * What went wrong, save that what Postgres cannot hold as it is named cannot be asked for by its name: an object whose name
 * contains NUL has a row, but neither details nor children.
 */
export function problemsOf(summaries: readonly RunSummary[]): string[] {
  return summaries.flatMap(({ problems }) => problems).filter((problem) => !problem.includes('\uFFFD'));
}

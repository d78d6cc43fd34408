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
 * Returns the problems of runs, except one known problem. Postgres cannot hold a name with NUL as it is. So
 * an object with such a name has a row, but the platform cannot be asked for its details or children.
 */
export function problemsOf(summaries: readonly RunSummary[]): string[] {
  return summaries.flatMap(({ problems }) => problems).filter((problem) => !problem.includes('\uFFFD'));
}

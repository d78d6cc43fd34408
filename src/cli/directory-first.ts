import { HISTORY } from '../series/history-stream.ts';
import type { SyncContext } from '../sync/context.ts';
import { listNeededFirst } from '../sync/needed-first.ts';
import { syncSnapshot } from '../sync/snapshot.ts';
import type { RunSummary } from '../sync/summary.ts';
import { CURRENT } from '../sync/write-poll.ts';
import { type Io, say } from './io.ts';

/** Reads the parts of the directory that the named streams need and that were never read, and says so on stderr. */
export async function readDirectoryFirst(
  io: Io,
  ctx: SyncContext,
  names: readonly string[] = [HISTORY],
): Promise<RunSummary[]> {
  const needed = await listNeededFirst(ctx, names);
  if (needed.length === 0) return [];
  const reading = `reading ${needed.map(({ name }) => name).join(' and ')} first`;
  const isForSeries = names.includes(HISTORY) || names.includes(CURRENT);
  say(io, isForSeries ? `no series is known yet: ${reading}\n` : `never read yet: ${reading}\n`);
  const summaries: RunSummary[] = [];
  for (const stream of needed) summaries.push(await syncSnapshot(ctx, stream));
  return summaries;
}

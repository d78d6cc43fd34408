import { HISTORY } from '../../series/history-stream.ts';
import type { SyncContext } from '../../sync/context.ts';
import { readNeeded } from '../../sync/directory/read-needed.ts';
import type { RunSummary } from '../../sync/run-summary.ts';
import { listNeededFirst, type NeededFirst } from '../../sync/selection/needed-first.ts';
import { CURRENT } from '../../sync/stream-names.ts';
import { type Io, say } from '../io.ts';

/**
 * Reads the parts of the directory that the named streams need and that were never read to their end. Says so
 * on stderr.
 */
export async function readDirectoryFirst(
  io: Io,
  ctx: SyncContext,
  { names = [HISTORY], needed }: DirectoryQuestion = {},
): Promise<RunSummary[]> {
  const { streams, isRest } = needed ?? (await listNeededFirst(ctx, names));
  if (streams.length === 0) return [];
  const reading = `reading ${streams.map(({ name }) => name).join(' and ')} first`;
  const isForSeries = names.includes(HISTORY) || names.includes(CURRENT);
  const why = isForSeries ? 'no series is known yet' : 'never read yet';
  say(io, `${isRest ? 'never read to the end yet' : why}: ${reading}\n`);
  return readNeeded(ctx, { streams });
}

export interface DirectoryQuestion {
  /** The streams of a command. The default is history. */
  readonly names?: readonly string[];
  /** The parts of the directory that these streams need, if they were listed before. */
  readonly needed?: NeededFirst;
}

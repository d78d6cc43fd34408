import { periodOfScans } from '../../../jobs/scan.ts';
import { UsageError } from '../../errors.ts';
import { requireKnown } from '../../known-names.ts';
import { HISTORY } from '../../series/history-stream.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { enabledStreams, syncStreams } from '../../sync/once/sync-streams.ts';
import { ALARMS, CURRENT } from '../../sync/stream-names.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { checkReachable } from '../open/check-reachable.ts';
import { readDirectoryFirst } from '../open/read-directory-first.ts';
import { withContext } from '../open/session.ts';
import { exitCodeOf } from '../output/exit-code.ts';
import { renderSummary } from '../output/summary-table.ts';

const syncableStreams = [...streams.map(({ name }) => name), HISTORY, CURRENT, ALARMS];

export interface SyncOptions extends CommonOptions {
  readonly acceptDeletes?: boolean;
  readonly compareAll?: boolean;
}

/**
 * Runs `plantsync sync [stream…]`: brings streams up to date now. Without names, all enabled streams are
 * read.
 */
export async function sync(io: Io, names: readonly string[], options: SyncOptions): Promise<number> {
  requireKnown(names, syncableStreams);
  if (options.acceptDeletes && names.length === 0)
    throw new UsageError(
      'usage.missing_argument',
      '--accept-deletes needs the names of the streams whose missing rows are really gone.',
    );
  return withContext(io, options, async (ctx) => {
    await checkReachable(io, ctx);
    const asked = names.length > 0 ? names : enabledStreams(ctx);
    const directory = await readDirectoryFirst(io, ctx, { names: asked });
    const periodOf = (stream: Stream) => periodOfScans(ctx, stream);
    const { acceptDeletes = false, compareAll: comparesAll = false } = options;
    const synced = await syncStreams(ctx, asked, { acceptDeletes, comparesAll, periodOf });
    const summaries = [...directory, ...synced];
    ctx.progress.close();
    print(io, options, { json: { streams: summaries }, lines: () => renderSummary(summaries) });
    return exitCodeOf(summaries);
  });
}

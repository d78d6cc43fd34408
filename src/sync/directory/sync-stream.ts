import { ensureTables } from '../../load/rows/ensure-tables.ts';
import { findEmptyTables } from '../../load/rows/find-empty-tables.ts';
import type { Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { detailsOf, settingsOf } from '../stream-settings.ts';
import { loadTotals } from '../trusted-totals.ts';
import type { Snapshot, SnapshotOptions } from './finish-scan.ts';
import { openKnownLists } from './known-lists.ts';
import { ListReader } from './list-reader.ts';
import { openNodeFinder } from './open-node-finder.ts';
import { RowSink } from './row-sink.ts';
import { scanChildren } from './scan-children.ts';
import { scanDetails } from './scan-details.ts';
import { scanRoot } from './scan-root.ts';

export type { SnapshotOptions } from './finish-scan.ts';

/** Brings a list up to date, and then the details of the rows that changed in it. */
export async function syncStream(
  ctx: SyncContext,
  stream: Stream,
  options: SnapshotOptions = {},
): Promise<RunSummary[]> {
  const list = await syncSnapshot(ctx, stream, options);
  const details = detailsOf(stream);
  if (details === undefined || list.status === 'failed' || !settingsOf(ctx.config, details).enabled)
    return [list];
  return [list, await syncSnapshot(ctx, details, options)];
}

/** Kind of the runs that read a list, or details. */
export const SCAN = 'scan';

/**
 * Brings the tables of a stream up to date with the platform, in one run.
 *
 * 1. `ensureTables` creates the tables of the stream, or adds the columns that they lack.
 * 2. The scan reads the list of the whole platform, the list of each parent row, or the details of changed
 *    rows.
 * 3. The sink turns records into rows or rejects, and loads rows in chunks.
 * 4. `finishScan` deletes the rows that are gone, computes the paths of trees, reports drift, and closes
 *    rejects that did not recur.
 * 5. `plantsync.changes` loses the entries that are too old.
 */
export async function syncSnapshot(
  context: SyncContext,
  stream: Stream,
  options: SnapshotOptions = {},
): Promise<RunSummary> {
  return recordRun(context, { stream: stream.name, kind: SCAN }, async (summary, ctx) => {
    const { keepRaw } = settingsOf(ctx.config, stream);
    await ensureTables(ctx.db, ctx.schemas.data, stream, { keepRaw });
    const { findNode, nodes } = await openNodeFinder(ctx, stream);
    const lists = await openKnownLists(ctx, stream, { isFull: options.comparesAll ?? false, nodes });
    const tables = [...(stream.updates ? [] : [stream]), ...(stream.parts ?? [])].map(({ name }) => name);
    const emptyTables = await findEmptyTables(ctx.db, ctx.schemas.data, tables);
    const sink = new RowSink(ctx, stream, { summary, findNode, lists, emptyTables });
    const reader = new ListReader(ctx, stream, await loadTotals(ctx));
    const snapshot: Snapshot = { stream, summary, sink, reader, options };
    if (stream.parent === undefined) await scanRoot(ctx, snapshot);
    else if (stream.updates) await scanDetails(ctx, snapshot);
    else await scanChildren(ctx, snapshot);
    await ctx.ledger.changes.prune(ctx.config.limits.keepChangesMs);
  });
}

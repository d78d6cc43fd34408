import { deletePartsOfDeleted } from '../../load/rows/delete-rows.ts';
import { deleteUnreferenced } from '../../load/rows/delete-unreferenced.ts';
import { computePaths } from '../../load/rows/tree-paths.ts';
import { baseOf, type Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import type { SyncContext } from '../context.ts';
import { reportDrift } from '../report-drift.ts';
import type { RunSummary } from '../run-summary.ts';
import { deleteMissing } from './delete-missing.ts';
import type { ListReader } from './list-reader.ts';
import type { RowSink } from './row-sink.ts';

export interface SnapshotOptions {
  /** Whether missing rows are deleted, however many they are. */
  readonly acceptDeletes?: boolean;
  /** Whether every row is compared with the table, also those of lists that have not changed. */
  readonly comparesAll?: boolean;
  /** Whether the details of all rows are read, not only of rows that changed or were read long ago. */
  readonly allDetails?: boolean;
  /** Whether only those lists of parent rows are read that were never read before. */
  readonly onlyUnread?: boolean;
  /**
   * Milliseconds between two scans of the list. Details that are due about now do not wait for the next scan.
   */
  readonly periodMs?: number;
}

/** A run that reads a list or details, with its options, its reader and its sink. */
export interface Snapshot {
  readonly stream: Stream;
  readonly summary: RunSummary;
  readonly sink: RowSink;
  readonly reader: ListReader;
  readonly options: SnapshotOptions;
}

/**
 * Does what follows a scan: deletes rows, computes the paths of trees, reports drift, and closes rejects that
 * did not recur.
 */
export async function finishScan(
  ctx: SyncContext,
  snapshot: Snapshot,
  scan: {
    complete: boolean;
    sinceUs: number;
    partly?: boolean;
    /** Whether every row of the table is in a list that was read. */
    coversTable?: boolean;
    /** Keys of the rejects that the scan would have met. All rejects if not given. */
    keys?: string[] | undefined;
  },
): Promise<void> {
  const { stream, summary, sink, reader, options } = snapshot;
  const acceptDeletes = options.acceptDeletes ?? false;
  const rowsExpected = scan.coversTable ? sink.countRows() : undefined;
  if (!stream.updates)
    await deleteMissing(ctx, { stream, sink, reader, summary, acceptDeletes, rowsExpected });
  else await deletePartsOfDeleted(ctx.db, ctx.schemas, baseOf(stream), { streams });
  // Details may fill the name of the node above, so paths are computed after details, too.
  const base = baseOf(stream);
  if (base.tree !== undefined) await computePaths(ctx.db, ctx.schemas, base);
  await deleteUnreferenced(ctx.db, ctx.schemas, stream);
  await reportDrift(ctx, stream, { entries: sink.drift.report(), partly: scan.partly || !scan.complete });
  if (scan.complete)
    await ctx.ledger.rejects.settle({
      stream: stream.name,
      beforeUs: scan.sinceUs,
      ...(scan.keys && { keys: scan.keys }),
    });
  ctx.catalog.expire();
}

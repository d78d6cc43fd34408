import type { Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';
import { finishScan, type Snapshot } from './finish-scan.ts';

/** Reads a list of the whole platform. A scan that was interrupted begins again at page 1. */
export async function scanRoot(ctx: SyncContext, snapshot: Snapshot): Promise<void> {
  const { stream, summary, sink, reader } = snapshot;
  const proveEnd = await wasScanned(ctx, stream);
  const scan = await ctx.ledger.scans.begin(stream.name, {});
  const line = ctx.progress.start(stream.name, undefined, 'records');
  try {
    const end = await reader.read(await sink.open(), {
      proveEnd,
      onPage: ({ items, total }) => {
        if (total !== undefined && total > 0) line.setTotal(total);
        line.add(items.length);
      },
    });
    line.finish(end.complete ? undefined : 'failed');
    await sink.flush();
    await ctx.ledger.scans.finish(scan.id, { ...end, complete: end.complete && end.problem === undefined });
    if (end.problem !== undefined) summary.problems.push(end.problem);
    if (end.note !== undefined) summary.notes.push(end.note);
    const complete = end.complete && end.stable;
    const coversTable = complete && settingsOf(ctx.config, stream).filter === null;
    await finishScan(ctx, snapshot, { complete, sinceUs: scan.startedAt, coversTable });
  } catch (error) {
    line.finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  }
}

/** Tells whether one of the last scans of the stream came to its end. */
export async function wasScanned(ctx: SyncContext, stream: Stream): Promise<boolean> {
  const scans = await ctx.ledger.scans.readLast(stream.name, 5);
  return scans.some(({ finishedAt }) => finishedAt !== undefined);
}

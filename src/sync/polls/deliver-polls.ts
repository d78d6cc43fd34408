import type { PointStore } from '../../load/stores/store.ts';
import type { SyncContext } from '../context.ts';
import { deliverItems } from '../outbox-items.ts';
import { recordRun } from '../record-run.ts';
import { addPoints, type RunSummary } from '../run-summary.ts';
import { CURRENT } from '../stream-names.ts';
import { fromOutbox, type OutboxPoint, othersOf } from './write-poll.ts';

/** Kind of the runs that bring polls to the other stores. */
export const DELIVERY = 'delivery';

/** Brings the waiting polls to their stores. */
export async function deliverPolls(ctx: SyncContext): Promise<RunSummary> {
  return recordRun(ctx, { stream: CURRENT, kind: DELIVERY }, async (summary) => {
    for (const store of othersOf(ctx)) await emptyOutbox(ctx, store, summary);
  });
}

async function emptyOutbox(ctx: SyncContext, store: PointStore, summary: RunSummary): Promise<void> {
  const write = async (points: OutboxPoint[]) => {
    const { written, refused } = await store.writePolls(points.map(fromOutbox));
    const rejects = refused.map(({ seriesId, reason, count, samples }) => ({
      stream: CURRENT,
      kind: store.kind,
      key: String(seriesId),
      reason,
      count,
      sample: samples,
    }));
    return { written, rejects };
  };
  const failure = await deliverItems(ctx, store.id, {
    write,
    onDelivered: ({ written }) => {
      addPoints(summary, store, written);
    },
  });
  if (failure !== undefined) summary.problems.push(`${failure}; the polls wait in the outbox`);
}

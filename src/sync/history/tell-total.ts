import { reasonOf } from '../../errors.ts';
import { withGiveUp } from '../../postgres/give-up.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { seriesHoursOf } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import type { FillOrder } from '../selection/fill-order.ts';
import { planParts } from './plan-order.ts';

/**
 * Adds up what an order reads, while it is read, and tells the progress of the run. So a run with many
 * portions begins at once. Returns a function that gives up the sum, for the end of the run.
 */
export function tellTotal(ctx: SyncContext, order: FillOrder): () => void {
  const giveUp = new AbortController();
  const add = async (): Promise<void> => {
    let hours = 0;
    for await (const { batches } of planParts(ctx, order)) hours += seriesHoursOf(batches);
    ctx.progress.plan?.(hours, 0);
  };
  withGiveUp(giveUp.signal, add).catch((error: unknown) => {
    if (giveUp.signal.aborted) return;
    ctx.log.debug({ stream: HISTORY, ...reasonOf(error) }, 'the run does not know how much it has to do');
  });
  return () => giveUp.abort(new Error('the run has ended'));
}

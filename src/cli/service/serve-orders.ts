import { reasonOf } from '../../errors.ts';
import type { OrderKind } from '../../ledger/orders.ts';
import { sleepOrWake } from '../../sleep.ts';
import type { Fill } from '../../sync/backfill/fill-range.ts';
import type { SyncContext } from '../../sync/context.ts';
import { doOrder } from '../../sync/orders/do-order.ts';

/** The period of the looks for orders. */
const LOOK_MS = 2_000;

/**
 * Does what people ask of the service by the console, until the signal of the context: one backfill and one
 * replay at a time. Other processes of the service may do others.
 */
export async function serveOrders(ctx: SyncContext, fill: Fill): Promise<void> {
  const serve = async (kind: OrderKind) => {
    while (!ctx.signal.aborted) {
      const isDone = await doNext(ctx, kind, fill);
      if (!isDone) await sleepOrWake(LOOK_MS, ctx.signal);
    }
  };
  await Promise.all([serve('backfill'), serve('replay')]);
}

/** Does the next order of a kind. Resolves to false if there is none, or if Postgres is away. */
async function doNext(ctx: SyncContext, kind: OrderKind, fill: Fill): Promise<boolean> {
  try {
    const order = await ctx.ledger.orders.take(kind);
    if (order === undefined) return false;
    ctx.log.info({ order: order.id }, `the ${kind} begins, because somebody asked for it`);
    await doOrder(ctx, order, { fill });
    return true;
  } catch (error) {
    // The jobs report by themselves that a dependency is away.
    ctx.log.debug(reasonOf(error), 'orders cannot be read, or are done later');
    return false;
  }
}

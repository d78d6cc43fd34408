import { backoffMs } from '../../backoff.ts';
import { describeError, InterruptedError, reasonOf } from '../../errors.ts';
import type { OrderEnd, OrderRecord } from '../../ledger/orders.ts';
import type { RejectRecord } from '../../ledger/rejects/rejects.ts';
import { type Sleep, sleepOrWake } from '../../sleep.ts';
import { type Fill, fillAlarmRange, fillRange } from '../backfill/fill-range.ts';
import type { SyncContext } from '../context.ts';
import { replayRejects } from '../replay/replay-rejects.ts';
import type { RunSummary } from '../run-summary.ts';
import type { BackfillBody, ReplayBody, ReplayedCase } from './order-body.ts';

/** Period of the looks whether somebody has cancelled the order. */
const LOOK_MS = 2_000;
/** Waits before a backfill that failed goes on. */
const AGAIN = { firstMs: 5_000, longestMs: 300_000 };
/** Attempts in a row that may bring nothing. */
const MOST_VAIN = 5;
/** More cases than are ever open. */
const ALL_CASES = 1_000_000;

export interface OrderParts {
  readonly fill: Fill;
  /** The sleep, which a test replaces. */
  readonly sleep?: Sleep;
}

/**
 * Does the work of an order that this process has taken, and keeps its end in the ledger.
 *
 * 1. The work ends soon after somebody has cancelled the order.
 * 2. If this process is about to end, the order goes back for another process, or for the next start.
 * 3. A backfill that fails goes on later, as long as its attempts bring points.
 * 4. Series that could not be read lately are tried at once.
 */
export async function doOrder(context: SyncContext, order: OrderRecord, parts: OrderParts): Promise<void> {
  const { ledger, log } = context;
  const cancelling = new AbortController();
  const look = setInterval(() => {
    ledger.orders.get(order.id).then(
      (now) => now?.isCancelAsked && cancelling.abort(),
      (error) => log.debug(reasonOf(error), 'the ledger did not say whether an order is cancelled'),
    );
  }, LOOK_MS);
  if (order.isCancelAsked) cancelling.abort();
  const ctx = {
    ...context,
    signal: AbortSignal.any([context.signal, cancelling.signal]),
    // People expect a try now, also of series that could not be read lately.
    seriesCooldown: context.seriesCooldown.forWork(`order ${order.id}`),
  };
  try {
    const end = cancelling.signal.aborted ? CANCELLED : await endOf(ctx, order, parts);
    if (context.signal.aborted) await ledger.orders.giveBack(order.id);
    else await keepEnd(context, order, cancelling.signal.aborted ? { ...end, ...CANCELLED } : end);
  } finally {
    clearInterval(look);
  }
}

const CANCELLED = { status: 'cancelled' } as const satisfies OrderEnd;

async function endOf(ctx: SyncContext, order: OrderRecord, parts: OrderParts): Promise<OrderEnd> {
  try {
    if (order.kind === 'replay') return await replay(ctx, order.body as ReplayBody);
    return await fillWithPatience(ctx, order, parts);
  } catch (error) {
    // Somebody has cancelled the run by its number.
    if (error instanceof InterruptedError) return CANCELLED;
    return { status: 'failed', error: describeError(error) };
  }
}

/** Keeps the end of an order. While Postgres is away this waits, because nobody else would do it. */
async function keepEnd({ ledger, log, signal }: SyncContext, { id }: OrderRecord, end: OrderEnd) {
  while (!signal.aborted) {
    try {
      return await ledger.orders.finish(id, end);
    } catch (error) {
      log.debug(reasonOf(error), 'the end of an order is kept later');
      await sleepOrWake(LOOK_MS, signal);
    }
  }
}

async function fillWithPatience(
  ctx: SyncContext,
  order: OrderRecord,
  { fill, sleep = sleepOrWake }: OrderParts,
): Promise<OrderEnd> {
  for (let vain = 0; ; ) {
    const runs = await fillOnce(ctx, order, fill);
    const failed = runs.find(({ status }) => status === 'failed');
    vain = runs.some(({ records }) => records > 0) ? 0 : vain + 1;
    if (failed === undefined || vain >= MOST_VAIN) return endOfRuns(runs);
    ctx.log.warn(
      { order: order.id, code: failed.code },
      `the backfill goes on in a while: ${failed.problems[0]}`,
    );
    await sleep(backoffMs(AGAIN, vain), ctx.signal);
    if (ctx.signal.aborted) return endOfRuns(runs);
  }
}

function fillOnce(ctx: SyncContext, { id, body }: OrderRecord, fill: Fill): Promise<RunSummary[]> {
  const { from, to, object, property, alarms, force } = body as BackfillBody;
  const order = { mode: 'backfill', from, to, force, number: id } as const;
  if (alarms) return fillAlarmRange(ctx, order);
  return fillRange(ctx, { ...order, objects: object, properties: property }, fill);
}

async function replay(ctx: SyncContext, { ids, stream }: ReplayBody): Promise<OrderEnd> {
  const { rejects } = ctx.ledger;
  const chosen =
    ids === undefined
      ? await rejects.list({ stream, limit: ALL_CASES })
      : await Promise.all(ids.map((id) => rejects.get(id)));
  const open = chosen.filter((reject): reject is RejectRecord => reject !== undefined && !reject.resolved);
  const { cases, runs } = open.length > 0 ? await replayRejects(ctx, open) : { cases: [], runs: [] };
  const told = cases.map(({ reject, outcome, note }): ReplayedCase => ({ id: reject.id, outcome, note }));
  const { status, error } = endOfRuns(runs);
  const isDone = told.every(({ outcome }) => outcome === 'resolved');
  return {
    status: isDone ? 'done' : status === 'done' ? 'partial' : status,
    error,
    result: { cases: told, runs },
  };
}

function endOfRuns(runs: readonly RunSummary[]): OrderEnd {
  const worst = ['failed', 'partial', 'done'].find((status) => runs.some((run) => run.status === status));
  const [error] = runs.flatMap(({ problems }) => problems);
  return { status: (worst ?? 'done') as OrderEnd['status'], error, result: { runs } };
}

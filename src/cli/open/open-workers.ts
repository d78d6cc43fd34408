import { UsageError } from '../../errors.ts';
import { type BullQueues, closeQueues, openQueues } from '../../queue/bullmq/bull-queues.ts';
import { dispatchPieces } from '../../queue/bullmq/dispatch-pieces.ts';
import { RepeatedErrors } from '../../queue/repeated-errors.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { steadyMs } from '../../steady-clock.ts';
import { type Dispatch, fillByPieces } from '../../sync/backfill/fill-by-pieces.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { RunSummary } from '../../sync/run-summary.ts';
import type { BackfillOrder } from '../../sync/selection/fill-order.ts';
import type { CommandContext, Session } from './session.ts';

/** The period of the looks for workers. */
const LOOK_MS = 5_000;

/**
 * Returns a function that fills history by the workers of the service. Throws a `UsageError` without Redis or
 * workers.
 */
export async function openWorkers(
  { config, closers, log }: Pick<Session, 'config' | 'closers' | 'log'>,
  { redis }: Pick<CommandContext, 'redis'>,
): Promise<(ctx: SyncContext, order: BackfillOrder) => Promise<RunSummary>> {
  if (config.redis === undefined || redis === undefined)
    throw new UsageError(
      'usage.needs_redis',
      '--on-workers needs redis.url, because workers get their work by Redis; without Redis leave the option out',
    );
  await redis.connect();
  const queues = openQueues({ connection: redis.hasty, prefix: config.redis.prefix }, (error) =>
    redis.complain(error),
  );
  closers.add(() => closeQueues(queues));
  if ((await queues.bulk.getWorkersCount()) === 0)
    throw new UsageError(
      'usage.no_workers',
      '--on-workers: no worker is running; start some with plantsync run --role worker',
    );
  const alone = new RepeatedErrors({ stream: HISTORY }, { log, clock: steadyMs });
  const dispatch = async (work: Dispatch) => {
    const watch = setInterval(() => lookForWorkers(queues, alone), LOOK_MS);
    try {
      await dispatchPieces(queues.bulk, work, (error) => redis.complain(error));
    } finally {
      clearInterval(watch);
    }
  };
  return (ctx, order) => fillByPieces(ctx, order, dispatch);
}

/**
 * Looks for workers during a backfill. If the last worker has gone, the backfill waits, and the log says so.
 */
async function lookForWorkers({ bulk }: BullQueues, alone: RepeatedErrors): Promise<void> {
  // Others report that Redis is away.
  const count = await bulk.getWorkersCount().catch(() => undefined);
  if (count === 0)
    alone.say(
      'no worker is running: waiting for one; start some with plantsync run --role worker',
      'usage.no_workers',
    );
  else if (count !== undefined) alone.end();
}

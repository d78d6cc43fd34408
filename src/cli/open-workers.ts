import { UsageError } from '../errors.ts';
import { openQueues } from '../queue/bull-queues.ts';
import { queueNames } from '../queue/engine.ts';
import { dispatchPieces } from '../queue/pieces.ts';
import type { SyncContext } from '../sync/context.ts';
import type { BackfillOrder } from '../sync/fill.ts';
import { type Dispatch, fillByPieces } from '../sync/fill-pieces.ts';
import type { RunSummary } from '../sync/summary.ts';
import type { CommandContext, Session } from './session.ts';

/** A way to fill history that leaves the work to the workers of the service. Throws where there is no Redis, or no worker. */
export async function openWorkers(
  { config, closers }: Pick<Session, 'config' | 'closers'>,
  { redis }: Pick<CommandContext, 'redis'>,
): Promise<(ctx: SyncContext, order: BackfillOrder) => Promise<RunSummary>> {
  if (config.redis === undefined || redis === undefined)
    throw new UsageError(
      '--on-workers needs redis.url, by which workers get their work; without it, leave the option out',
    );
  await redis.connect();
  const queues = openQueues({ connection: redis.hasty, prefix: config.redis.prefix }, (error) =>
    redis.complain(error),
  );
  closers.add(() => Promise.all(queueNames.map((name) => queues[name].close())).then(() => undefined));
  if ((await queues.bulk.getWorkersCount()) === 0)
    throw new UsageError('--on-workers: no worker is there; start some with plantsync run --role worker');
  const dispatch = (work: Dispatch) => dispatchPieces(queues.bulk, work, (error) => redis.complain(error));
  return (ctx, order) => fillByPieces(ctx, order, dispatch);
}

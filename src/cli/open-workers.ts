import { UsageError } from '../errors.ts';
import { openQueues } from '../queue/bull-queues.ts';
import { queueNames } from '../queue/engine.ts';
import { dispatchPieces } from '../queue/pieces.ts';
import { openRedis } from '../queue/redis.ts';
import type { SyncContext } from '../sync/context.ts';
import { type Dispatch, fillByPieces } from '../sync/fill-pieces.ts';
import type { Session } from './session.ts';

type FillByPieces = (
  ctx: SyncContext,
  order: Parameters<typeof fillByPieces>[1],
) => ReturnType<typeof fillByPieces>;

/** A way to fill history that leaves the work to the workers of the service. Throws where there is no Redis, or no worker. */
export async function openWorkers({ config, log, closers }: Session): Promise<FillByPieces> {
  if (config.redis === undefined)
    throw new UsageError(
      '--on-workers needs redis.url, by which workers get their work; without it, leave the option out',
    );
  const redis = await openRedis(config.redis, log);
  closers.add(() => redis.close());
  const queues = openQueues({ connection: redis.hasty, prefix: config.redis.prefix }, (error) =>
    redis.complain(error),
  );
  closers.add(() => Promise.all(queueNames.map((name) => queues[name].close())).then(() => undefined));
  if ((await queues.bulk.getWorkersCount()) === 0)
    throw new UsageError('--on-workers: no worker is there; start some with plantsync run --role worker');
  const dispatch = (work: Dispatch) => dispatchPieces(queues.bulk, work, (error) => redis.complain(error));
  return (ctx, order) => fillByPieces(ctx, order, dispatch);
}

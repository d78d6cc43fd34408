import { UsageError } from '../../errors.ts';
import { type BullQueues, closeQueues, openQueues } from '../../queue/bullmq/bull-queues.ts';
import { dispatchPieces } from '../../queue/bullmq/dispatch-pieces.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import { RepeatedErrors } from '../../queue/repeated-errors.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { type Dispatch, fillByPieces } from '../../sync/backfill/fill-by-pieces.ts';
import type { Fill } from '../../sync/backfill/fill-range.ts';
import type { CommandContext, Session } from './session.ts';

/** The period of the looks for workers. */
const LOOK_MS = 5_000;

type Opening = Pick<Session, 'config' | 'closers' | 'log'>;

/**
 * Returns a function that fills history by the workers of the service. Throws a `UsageError` without Redis or
 * workers.
 */
export async function openWorkers(
  { config, ...opening }: Opening,
  { redis }: Pick<CommandContext, 'redis'>,
): Promise<Fill> {
  if (config.redis === undefined || redis === undefined)
    throw new UsageError(
      'usage.needs_redis',
      '--on-workers needs Redis (redis.url, redis.sentinels or redis.cluster), because workers get their work by it; without Redis leave the option out',
    );
  await redis.connect();
  const queues = openConfiguredQueues(redis, config.redis);
  opening.closers.add(() => closeQueues(queues));
  if ((await queues.bulk.getWorkersCount()) === 0)
    throw new UsageError(
      'usage.no_workers',
      '--on-workers: no worker is running; start some with plantsync run --role worker',
    );
  return fillByWorkers(redis, queues, opening);
}

/** Returns a function by which the service itself fills history. All workers share the pieces. */
export function openServiceFill({ config, closers, log }: Opening, redis: RedisConnections): Fill {
  const { prefix } = config.redis ?? { prefix: '' };
  const queues = openConfiguredQueues(redis, { prefix });
  closers.add(() => closeQueues(queues));
  return fillByWorkers(redis, queues, { log });
}

function openConfiguredQueues(redis: RedisConnections, { prefix }: { prefix: string }): BullQueues {
  return openQueues({ connection: redis.hasty, prefix }, (error) => redis.complain(error));
}

function fillByWorkers(redis: RedisConnections, queues: BullQueues, { log }: Pick<Opening, 'log'>): Fill {
  const alone = new RepeatedErrors({ stream: HISTORY }, log);
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

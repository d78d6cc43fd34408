import { StoreError } from '../errors.ts';
import type { Engine, EngineHealth } from '../queue/engine.ts';
import type { Prometheus } from './prometheus.ts';
import type { Health } from './readiness.ts';

/**
 * Shows what the engine knows of Redis: its state, and the numbers of jobs in the queues at the last look.
 */
export function showEngine(
  { health, prometheus }: { health: Health; prometheus: Prometheus },
  engine: Pick<Engine, 'describeHealth'>,
): void {
  let queues: EngineHealth['queues'];
  health.watch({
    name: 'redis',
    needed: 'always',
    async look() {
      const found = await engine.describeHealth();
      queues = found.queues;
      if (found.redis?.isUp !== true)
        throw new StoreError('redis.unreachable', found.redis?.reason ?? 'Redis is not connected', {
          action: 'retry',
        });
    },
  });
  const jobs = prometheus.gauge('queue_jobs', 'Jobs in the queues of all processes, by their state.', [
    'queue',
    'state',
  ]);
  prometheus.onScrape(() => {
    jobs.reset();
    for (const [queue, states] of Object.entries(queues ?? {}))
      for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
  });
}

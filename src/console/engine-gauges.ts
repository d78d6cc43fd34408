import type { Engine, EngineHealth } from '../queue/engine.ts';
import type { Sleep } from '../sleep.ts';
import type { Prometheus } from './prometheus.ts';

/** The longest wait of a scrape for Redis. Numbers that come later are shown at the next scrape. */
const PATIENCE_MS = 1_000;

/** Shows the numbers of jobs in the queues, as Redis tells them at a scrape. */
export function showQueues(
  { prometheus, sleep }: { prometheus: Prometheus; sleep: Sleep },
  engine: Pick<Engine, 'describeHealth'>,
): void {
  let queues: EngineHealth['queues'];
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    queues = (await engine.describeHealth()).queues;
  };
  const jobs = prometheus.gauge('queue_jobs', 'Jobs in the queues of all processes, by their state.', [
    'queue',
    'state',
  ]);
  prometheus.onScrape(async () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    const asked = new AbortController();
    await Promise.race([asking, sleep(PATIENCE_MS, asked.signal)]);
    asked.abort();
    jobs.reset();
    for (const [queue, states] of Object.entries(queues ?? {}))
      for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
  });
}

import type { Config } from '../src/config/schema.ts';
import { CURRENT, DELIVERY, deliverPolls } from '../src/sync/poll.ts';
import type { Job } from './job.ts';

const EVERY_MS = 2_000;

/** Brings polls to InfluxDB, apart from the polls themselves, so that an outage there does not hold them up. */
export function listDeliveries(config: Config): Job[] {
  if (config.influx === undefined || !config.runtime.some(({ current }) => current.enabled)) return [];
  return [
    {
      name: 'delivery',
      schedule: { everyMs: EVERY_MS },
      needs: [],
      recorded: { stream: CURRENT, kind: DELIVERY },
      run: deliverPolls,
    },
  ];
}

import type { Config } from '../src/config/config-schema.ts';
import { listConfiguredKinds, type StoreKinds } from '../src/load/stores/store-kind.ts';
import { readsAlarms } from '../src/sync/alarms/alarm-settings.ts';
import { deliverEvents, EVENT_DELIVERY } from '../src/sync/alarms/deliver-events.ts';
import { DELIVERY, deliverPolls } from '../src/sync/polls/deliver-polls.ts';
import { ALARMS, CURRENT } from '../src/sync/stream-names.ts';
import type { Job } from './job.ts';

const EVERY_MS = 2_000;

/**
 * Lists the jobs that bring polls and events of alarms to the stores other than Postgres. They are jobs of
 * their own, so that an outage of such a store does not delay polls.
 */
export function listDeliveries(config: Config, kinds: StoreKinds): Job[] {
  const takers = listConfiguredKinds(config, kinds);
  const schedule = { everyMs: EVERY_MS };
  const polls: Job = {
    name: 'delivery',
    queue: 'live',
    schedule,
    needs: [],
    recorded: { stream: CURRENT, kind: DELIVERY },
    run: deliverPolls,
  };
  const events: Job = {
    name: 'alarm-delivery',
    queue: 'live',
    schedule,
    needs: [],
    recorded: { stream: ALARMS, kind: EVENT_DELIVERY },
    run: deliverEvents,
  };
  const polled = config.runtime.some(({ current }) => current.enabled);
  return [
    ...(takers.length > 0 && polled ? [polls] : []),
    ...(takers.some(({ takesEvents }) => takesEvents) && readsAlarms(config) ? [events] : []),
  ];
}

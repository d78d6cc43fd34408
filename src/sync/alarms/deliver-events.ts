import { readAlarmEvents } from '../../load/alarms/alarm-events.ts';
import { ensureAlarmTables } from '../../load/alarms/alarm-tables.ts';
import type { EventStore, PointStore } from '../../load/stores/store.ts';
import type { Transaction } from '../../postgres/queryable.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { PlacedAlarmEvent } from '../../streams/alarm-row.ts';
import type { SyncContext } from '../context.ts';
import { deliverItems, queueItems } from '../outbox-items.ts';
import { recordRun } from '../record-run.ts';
import { oldestKept } from '../retention.ts';
import { addPoints, type RunSummary } from '../run-summary.ts';
import { ALARMS } from '../stream-names.ts';
import { ALARM_SERIES } from './alarm-settings.ts';

/** Kind of the runs that bring events to the other stores. */
export const EVENT_DELIVERY = 'delivery';
/**
 * Stream and range in the coverage ledger, which say that a store has or gets every event, from the first on.
 */
const EVENTS = 'alarm_events';
const ALWAYS = { from: 0, to: 4e15 };
/** Events that are read at once for a store without events. */
const EVENTS_AT_ONCE = 1_000;
/** Entries kept for a store that is down. The number is so large that no entry is ever dropped. */
const MAX_ENTRIES = 1_000_000;

type EventTaker = PointStore & { readonly events: EventStore };

/** Puts events into the outbox of every store that takes events, in the transaction that made the events. */
export async function queueEvents(
  ctx: SyncContext,
  events: readonly PlacedAlarmEvent[],
  tx: Transaction,
): Promise<void> {
  for (const { events: store } of takersOf(ctx))
    await queueItems(ctx, { store: store.id, items: events, maxEntries: MAX_ENTRIES }, tx);
}

/** Brings the waiting events to their stores. */
export async function deliverEvents(ctx: SyncContext): Promise<RunSummary> {
  return recordRun(ctx, { stream: ALARMS, kind: EVENT_DELIVERY }, async (summary) => {
    for (const store of takersOf(ctx)) {
      await queueEarlier(ctx, store.events);
      await emptyOutbox(ctx, store, summary);
    }
  });
}

/** Stores that take the events of alarms. */
export function takersOf(ctx: Pick<SyncContext, 'stores'>): EventTaker[] {
  return ctx.stores.filter((store): store is EventTaker => store.events !== undefined);
}

/** Queues all existing events for a store that was added later, or whose database was made again. */
async function queueEarlier(ctx: SyncContext, { id: store }: EventStore): Promise<void> {
  const { db, schemas, ledger } = ctx;
  const question = { store, stream: EVENTS, seriesIds: [ALARM_SERIES] };
  if ((await ledger.coverage.read(question)).size > 0) return;
  await ensureAlarmTables(db, schemas.data);
  const queue = async (tx: Transaction) => {
    for (let after: PlacedAlarmEvent | undefined; ; ) {
      const events = await readAlarmEvents(tx, schemas.data, { after, limit: EVENTS_AT_ONCE });
      await queueItems(ctx, { store, items: events, maxEntries: MAX_ENTRIES }, tx);
      after = events.at(-1);
      if (after === undefined || events.length < EVENTS_AT_ONCE) break;
    }
    await ledger.coverage.add({ ...question, range: ALWAYS }, tx);
  };
  await inTransaction(db, queue, { what: 'queueing the events of alarms' });
}

async function emptyOutbox(ctx: SyncContext, store: EventTaker, summary: RunSummary): Promise<void> {
  const write = async (events: PlacedAlarmEvent[]) => {
    // A store is not offered events that it refuses for their age.
    const oldest = oldestKept(ctx, store);
    const { written, refused } = await store.events.write(events.filter(({ at }) => at >= oldest));
    const rejects = refused.map(({ event, reason }) => ({
      stream: ALARMS,
      kind: store.kind,
      key: `${event.object}/${event.property}/${event.show_name}`,
      reason,
      sample: event,
    }));
    return { written, rejects };
  };
  const failure = await deliverItems(ctx, store.events.id, {
    write,
    onDelivered: ({ written, rejects }) => {
      summary.rejects += rejects.length;
      addPoints(summary, store, written);
    },
  });
  if (failure !== undefined) summary.problems.push(`${failure} (the events of alarms wait for this store)`);
}

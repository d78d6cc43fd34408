import { messageOf, StoreError } from '../errors.ts';
import { readAlarmEvents } from '../load/alarm-events.ts';
import { ensureAlarmTables } from '../load/alarm-tables.ts';
import type { EventStore, PointStore, Transaction } from '../load/store.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { PlacedAlarmEvent } from '../streams/alarm-row.ts';
import { ALARM_SERIES, ALARMS } from './alarm-settings.ts';
import type { SyncContext } from './context.ts';
import { recordRun } from './run.ts';
import type { RunSummary } from './summary.ts';

/** Kind of the runs that bring events to other stores. */
export const EVENT_DELIVERY = 'delivery';
/** In the coverage ledger: every event, from the first on, is in the store or on its way. */
const EVENTS = 'alarm_events';
const ALWAYS = { from: 0, to: 4e15 };
const EVENTS_PER_ENTRY = 1_000;
const ENTRIES_AT_ONCE = 10;
/** Entries kept for a store that is down: so many that none is ever dropped. */
const MAX_ENTRIES = 1_000_000;

type EventTaker = PointStore & { readonly events: EventStore };

/** Puts events into the outbox of every store that takes them, in the transaction of what led to them. */
export async function queueEvents(
  ctx: SyncContext,
  events: readonly PlacedAlarmEvent[],
  tx: Transaction,
): Promise<void> {
  for (const { events: store } of takersOf(ctx)) await queueFor(ctx, store.id, { events, tx });
}

/** Brings the events that wait to their stores. */
export async function deliverEvents(ctx: SyncContext): Promise<RunSummary> {
  return recordRun(ctx, { stream: ALARMS, kind: EVENT_DELIVERY }, async (summary) => {
    for (const store of takersOf(ctx)) {
      await queueEarlier(ctx, store.events);
      await emptyOutbox(ctx, store, summary);
    }
  });
}

function takersOf(ctx: SyncContext): EventTaker[] {
  return ctx.stores.filter((store): store is EventTaker => store.events !== undefined);
}

async function queueFor(
  ctx: SyncContext,
  store: string,
  { events, tx }: { events: readonly PlacedAlarmEvent[]; tx: Transaction },
): Promise<void> {
  const payloads: PlacedAlarmEvent[][] = [];
  for (let k = 0; k < events.length; k += EVENTS_PER_ENTRY)
    payloads.push(events.slice(k, k + EVENTS_PER_ENTRY));
  if (payloads.length > 0) await ctx.ledger.outbox.add({ store, payloads, maxEntries: MAX_ENTRIES }, tx);
}

/** A store that was added later, or made anew, gets all events that there are. */
async function queueEarlier(ctx: SyncContext, { id: store }: EventStore): Promise<void> {
  const { db, schemas, ledger } = ctx;
  const question = { store, stream: EVENTS, seriesIds: [ALARM_SERIES] };
  if ((await ledger.coverage.read(question)).size > 0) return;
  await ensureAlarmTables(db, schemas.data);
  const queue = async (tx: Transaction) => {
    for (let after: PlacedAlarmEvent | undefined; ; ) {
      const events = await readAlarmEvents(tx, schemas.data, { after, limit: EVENTS_PER_ENTRY });
      await queueFor(ctx, store, { events, tx });
      after = events.at(-1);
      if (after === undefined || events.length < EVENTS_PER_ENTRY) break;
    }
    await ledger.coverage.add({ ...question, range: ALWAYS }, tx);
  };
  await inTransaction(db, queue, { what: 'queueing the events of alarms' });
}

/** Writes what waits for a store, oldest first, as long as the store takes it. */
async function emptyOutbox(ctx: SyncContext, store: EventTaker, summary: RunSummary): Promise<void> {
  const { outbox, rejects } = ctx.ledger;
  try {
    for (;;) {
      const entries = await outbox.take(store.events.id, ENTRIES_AT_ONCE);
      if (entries.length === 0) return;
      const events = entries.flatMap(({ payload }) => payload as PlacedAlarmEvent[]);
      const { written, refused } = await store.events.write(events.filter(isKept(ctx, store)));
      await rejects.add(
        refused.map(({ event, reason }) => ({
          stream: ALARMS,
          kind: store.kind,
          key: `${event.object}/${event.property}/${event.show_name}`,
          reason,
          sample: event,
        })),
      );
      summary.rejects += refused.length;
      summary.points[store.kind] = (summary.points[store.kind] ?? 0) + written;
      await outbox.remove(entries.map(({ id }) => id));
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    summary.problems.push(`${messageOf(error)} (events of alarms wait for it)`);
  }
}

/** A store is not offered what it would refuse for its age. */
function isKept(ctx: SyncContext, store: PointStore): (event: PlacedAlarmEvent) => boolean {
  const retentionMs = store.retentionMs?.();
  if (retentionMs === undefined) return () => true;
  const oldest = ctx.clock() - retentionMs * 1000;
  return ({ at }) => at >= oldest;
}

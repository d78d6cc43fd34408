import { type AlarmCountsByState, countAlarms } from '../../load/alarms/count-alarms.ts';
import { type RangeSet, toRangeSet } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { ALARMS } from '../stream-names.ts';
import { historyName, readsAlarms } from './alarm-settings.ts';
import { planAlarms } from './plan-alarms.ts';

/** What is known of the alarms as a whole; undefined where none was ever read. */
export interface AlarmStatus extends AlarmCountsByState {
  /** Entries of events that wait for a store, by store. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** How many alarms there are, and what waits; undefined if nothing is read of alarms, or was yet. */
export async function readAlarmStatus(
  ctx: SyncContext,
  outbox: ReadonlyMap<string, number>,
): Promise<AlarmStatus | undefined> {
  const counts = readsAlarms(ctx.config) ? await countAlarms(ctx.db, ctx.schemas.data) : undefined;
  if (counts === undefined) return undefined;
  const ids = eventStoresOf(ctx);
  return { ...counts, waiting: Object.fromEntries([...outbox].filter(([store]) => ids.has(store))) };
}

/** Identities under which stores get events. */
export function eventStoresOf({ stores }: Pick<SyncContext, 'stores'>): Set<string> {
  return new Set(stores.flatMap(({ events }) => events?.id ?? []));
}

/** Missing stretches of the history of alarms in a store, as those of a series. */
export interface AlarmGaps {
  readonly store: string;
  readonly stream: string;
  readonly stepSec: number;
  readonly series: string;
  readonly ranges: RangeSet;
}

/** What of the alarm history is wanted (or, given a range, lies in it) and not stored; it is one series in Postgres. */
export async function listAlarmGaps(ctx: SyncContext, range?: Range): Promise<AlarmGaps[]> {
  if (!ctx.config.alarms.history.enabled) return [];
  const order =
    range === undefined
      ? ({ mode: 'increment', again: 'none' } as const)
      : { ...range, mode: 'backfill' as const };
  // Without the newest alarms, which an increment reads in any case, since nothing is read again here.
  const ranges = toRangeSet(await planAlarms(ctx, order));
  const place = { store: ctx.postgresStore.id, stream: historyName(ctx.config), stepSec: 1 };
  return ranges.length === 0 ? [] : [{ ...place, series: ALARMS, ranges }];
}

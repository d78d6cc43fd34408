import { type AlarmCountsByState, countAlarms } from '../../load/alarms/count-alarms.ts';
import { type RangeSet, toRangeSet } from '../../series/range.ts';
import type { SyncContext } from '../context.ts';
import { type CoverageFilter, orderOfLook } from '../selection/fill-order.ts';
import { ALARMS } from '../stream-names.ts';
import { historyName, readsAlarms } from './alarm-settings.ts';
import { planAlarms } from './plan-alarms.ts';

/** Counts of all alarms, and of the events that wait for stores. */
export interface AlarmStatus extends AlarmCountsByState {
  /** Outbox entries with events, by the store that they wait for. */
  readonly waiting: Readonly<Record<string, number>>;
}

/**
 * Counts the alarms and the events that wait. Returns undefined if the configuration reads no alarms, or none
 * was read yet.
 */
export async function readAlarmStatus(
  ctx: SyncContext,
  outbox: ReadonlyMap<string, number>,
): Promise<AlarmStatus | undefined> {
  const counts = readsAlarms(ctx.config) ? await countAlarms(ctx.db, ctx.schemas.data) : undefined;
  if (counts === undefined) return undefined;
  const ids = eventStoresOf(ctx);
  return { ...counts, waiting: Object.fromEntries([...outbox].filter(([store]) => ids.has(store))) };
}

/** Lists the identities under which stores get events. */
export function eventStoresOf({ stores }: Pick<SyncContext, 'stores'>): Set<string> {
  return new Set(stores.flatMap(({ events }) => events?.id ?? []));
}

/** Missing ranges of the alarm history in a store, in the form of the gaps of a series. */
export interface AlarmGaps {
  readonly store: string;
  readonly stream: string;
  readonly stepSec: number;
  readonly series: string;
  readonly ranges: RangeSet;
}

/**
 * Lists the wanted ranges of the alarm history that are not stored, in the given range alone. The alarm
 * history is one series in Postgres.
 */
export async function listAlarmGaps(
  ctx: SyncContext,
  { from, to }: Pick<CoverageFilter, 'from' | 'to'> = {},
): Promise<AlarmGaps[]> {
  if (!ctx.config.alarms.history.enabled) return [];
  // The newest alarms, which increments read again, are no gap here.
  const ranges = toRangeSet(await planAlarms(ctx, orderOfLook({ from, to })));
  const place = { store: ctx.postgresStore.id, stream: historyName(ctx.config), stepSec: 1 };
  return ranges.length === 0 ? [] : [{ ...place, series: ALARMS, ranges }];
}

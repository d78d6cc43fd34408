import { readUnsettledStarts } from '../load/alarm-rows.ts';
import { ensureAlarmTables } from '../load/alarm-tables.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../series/range.ts';
import type { Range } from '../series/types.ts';
import { ALARM_SERIES, historyName } from './alarm-settings.ts';
import { platformNow, type SyncContext } from './context.ts';

/** What of the alarm history to bring up to date. Times are epoch microseconds. */
export type AlarmOrder =
  | {
      readonly mode: 'increment';
      /** What is read again beside what is new: the newest alarms and those that are not settled, a longer stretch, or nothing. */
      readonly again: 'lookback' | 'sweep' | 'none';
    }
  | {
      readonly mode: 'backfill';
      readonly from: number;
      readonly to: number;
      /** Reads what is stored, too. */
      readonly force?: boolean;
    };

/** The stretches of the history that an order leads to, ascending; empty if everything is stored. */
export async function planAlarms(ctx: SyncContext, order: AlarmOrder): Promise<RangeSet> {
  const { history } = ctx.config.alarms;
  const head = wholeSecond(platformNow(ctx) - history.settleMs * 1000);
  const wanted = toRangeSet([wantedBy(ctx, order, head)]);
  const gaps = await readAlarmGaps(ctx, wanted);
  if (order.mode === 'backfill') return order.force ? wanted : gaps;
  const backMs = { lookback: history.lookbackMs, sweep: history.sweep.rangeMs, none: 0 }[order.again];
  const newest = intersect(wanted, [{ from: wholeSecond(head - backMs * 1000), to: head }]);
  const unsettled = order.again === 'lookback' ? await findUnsettled(ctx, head) : [];
  return unite(unite(gaps, newest), unsettled);
}

/** What of a set of ranges is not covered. */
export async function readAlarmGaps(ctx: SyncContext, wanted: RangeSet): Promise<RangeSet> {
  const groups = await ctx.ledger.coverage.readGaps({
    stream: historyName(ctx.config),
    stores: [ctx.postgresStore.id],
    seriesIds: [ALARM_SERIES],
    wanted,
  });
  return groups.flatMap(({ gaps }) => gaps[0] ?? []);
}

function wantedBy({ config }: SyncContext, order: AlarmOrder, head: number): Range {
  if (order.mode === 'backfill')
    return { from: wholeSecond(order.from), to: Math.min(Math.ceil(order.to / 1e6) * 1e6, head) };
  const { start } = config.alarms.history;
  return { from: wholeSecond(Math.max(0, 'at' in start ? start.at : head - start.backMs * 1000)), to: head };
}

/**
 * Where alarms began that go on or wait to be acknowledged: history tells what became of them. They are read together unless a whole page
 * of others lies between them, so that one which nobody acknowledges does not have weeks read again and again.
 */
async function findUnsettled(ctx: SyncContext, head: number): Promise<RangeSet> {
  await ensureAlarmTables(ctx.db, ctx.schemas.data);
  const sinceUs = head - ctx.config.alarms.followUpMs * 1000;
  const stretches: Range[] = [];
  let lastPlace = Number.NEGATIVE_INFINITY;
  for (const { startedAt, place } of await readUnsettledStarts(ctx.db, ctx.schemas.data, sinceUs)) {
    const isNear = place - lastPlace <= ctx.config.platform.pageSize;
    const from = (isNear ? stretches.pop()?.from : undefined) ?? wholeSecond(startedAt);
    stretches.push({ from, to: wholeSecond(startedAt) + 1e6 });
    lastPlace = place;
  }
  // What began after the head is not there to be read.
  return subtract(toRangeSet(stretches), [{ from: head, to: Number.POSITIVE_INFINITY }]);
}

function wholeSecond(micros: number): number {
  return Math.floor(micros / 1e6) * 1e6;
}

import { readUnsettledStarts } from '../../load/alarms/change-alarms.ts';
import { alignDown } from '../../series/history-stream.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { rangesOf } from '../selection/fill-order.ts';
import { ALARM_SERIES, historyName } from './alarm-settings.ts';

/** An order to bring the alarm history, or a range of it, up to date. Times are epoch microseconds. */
export type AlarmOrder =
  | {
      readonly mode: 'increment';
      /**
       * What is read again besides new alarms. `lookback`: the newest alarms and those that are not settled.
       * `sweep`: a longer range. `none`: nothing.
       */
      readonly again: 'lookback' | 'sweep' | 'none';
      /** End of the range. It is now if not given. */
      readonly to?: number | undefined;
    }
  | {
      readonly mode: 'backfill';
      readonly from: number;
      readonly to: number;
      /** Whether stored alarms are read again, too. */
      readonly force?: boolean;
      /** Number of the order in the ledger, if the service was asked for the backfill. */
      readonly number?: number | undefined;
    };

/**
 * Lists the ranges of the history that an order reads, ascending. The list is empty if everything is stored.
 */
export async function planAlarms(ctx: SyncContext, order: AlarmOrder): Promise<RangeSet> {
  const { wanted, again } = rangesOf(ctx, order, { history: ctx.config.alarms.history, stepSec: 1 });
  const all = toRangeSet([wanted]);
  const ranges = unite(await readAlarmGaps(ctx, all), again === undefined ? [] : intersect(all, [again]));
  const followsUp = order.mode === 'increment' && order.again === 'lookback';
  return followsUp ? unite(ranges, await findUnsettled(ctx, wanted.to)) : ranges;
}

/** Returns the parts of the given ranges that are not covered. */
async function readAlarmGaps(ctx: SyncContext, wanted: RangeSet): Promise<RangeSet> {
  const groups = await ctx.ledger.coverage.readGaps({
    stream: historyName(ctx.config),
    stores: [ctx.postgresStore.id],
    seriesIds: [ALARM_SERIES],
    wanted,
  });
  return groups.flatMap(({ gaps }) => gaps[0] ?? []);
}

/**
 * Finds where alarms began that go on, or wait to be acknowledged. The history tells what became of them. Two
 * starts are read in one range unless a whole page of other alarms lies between them. So one alarm that
 * nobody acknowledges does not make every run read weeks again.
 */
async function findUnsettled(ctx: SyncContext, head: number): Promise<RangeSet> {
  const sinceUs = head - ctx.config.alarms.followUpMs * 1000;
  const stretches: Range[] = [];
  let lastPlace = Number.NEGATIVE_INFINITY;
  for (const { startedAt, place } of await readUnsettledStarts(ctx.db, ctx.schemas.data, sinceUs)) {
    const isNear = place - lastPlace <= ctx.config.platform.pageSize;
    const second = alignDown(startedAt, 1);
    const from = (isNear ? stretches.pop()?.from : undefined) ?? second;
    stretches.push({ from, to: second + 1e6 });
    lastPlace = place;
  }
  // The part of the history after the head is not read yet.
  return subtract(toRangeSet(stretches), [{ from: head, to: Number.POSITIVE_INFINITY }]);
}

import { readUnsettledStarts } from '../../load/alarms/change-alarms.ts';
import { alignDown } from '../../series/history-stream.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { rangesOf } from '../selection/fill-order.ts';
import { ALARM_SERIES, historyName } from './alarm-settings.ts';

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
  const { wanted, again } = rangesOf(ctx, order, { history: ctx.config.alarms.history, stepSec: 1 });
  const all = toRangeSet([wanted]);
  const ranges = unite(await readAlarmGaps(ctx, all), again === undefined ? [] : intersect(all, [again]));
  const followsUp = order.mode === 'increment' && order.again === 'lookback';
  return followsUp ? unite(ranges, await findUnsettled(ctx, wanted.to)) : ranges;
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

/**
 * Where alarms began that go on or wait to be acknowledged: history tells what became of them. They are read together unless a whole page
 * of others lies between them, so that one which nobody acknowledges does not have weeks read again and again.
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
  // What began after the head is not there to be read.
  return subtract(toRangeSet(stretches), [{ from: head, to: Number.POSITIVE_INFINITY }]);
}

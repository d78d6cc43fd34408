import { UsageError } from '../../../errors.ts';
import { widthOf } from '../../../series/range.ts';
import type { Range } from '../../../series/types.ts';
import { describeCoveredAlarms } from '../../../sync/alarms/fill-alarms.ts';
import { type AlarmOrder, planAlarms } from '../../../sync/alarms/plan-alarms.ts';
import type { SyncContext } from '../../../sync/context.ts';
import { plural } from '../../../sync/count-text.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { makeTable } from '../../output/table.ts';
import { describeRange } from '../../output/time.ts';

export interface AlarmBackfill {
  readonly range: Range;
  readonly force: boolean;
}

/** Throws a `UsageError` for options that make no sense together with `--alarms`. */
export function checkAlarmOptions({
  object = '*',
  property = '*',
}: {
  object?: string;
  property?: string;
}): void {
  if (object !== '*' || property !== '*')
    throw new UsageError(
      'usage.conflicting_options',
      '--alarms: reads the history of all alarms, so it takes neither --object nor --property',
    );
}

/** Prints the ranges that a backfill of alarms would read. */
export async function showAlarmPlan(
  io: Io,
  options: CommonOptions,
  { ctx, backfill }: { ctx: SyncContext; backfill: AlarmBackfill },
): Promise<number> {
  const ranges = await planAlarms(ctx, alarmOrderOf(backfill));
  const hours = widthOf(ranges) / 3.6e9;
  const plan = ranges.map((range) => ({ ...describeRange(range), hours: widthOf([range]) / 3.6e9 }));
  print(io, options, {
    json: { alarms: plan, hours },
    lines: () => [
      makeTable(
        ['from', 'to', 'hours'],
        plan.map((line) => [line.from, line.to, line.hours]),
      ),
      plan.length === 0
        ? `nothing to do: ${describeCoveredAlarms(ctx, alarmOrderOf(backfill))}`
        : `${plural(Math.round(hours * 10) / 10, 'hour')} of alarms to read`,
    ],
  });
  return 0;
}

/** Returns the order that a command asks for. */
export function alarmOrderOf({ range, force }: AlarmBackfill): AlarmOrder {
  return { mode: 'backfill', ...range, force };
}

import type { Schedule } from '../../config/schedule.ts';
import type { PointStore } from '../../load/stores/store.ts';
import type { Range } from '../../series/types.ts';
import { ALARM_SERIES, historyName } from '../alarms/alarm-settings.ts';
import type { SyncContext } from '../context.ts';
import type { CountedSeries } from '../selection/chosen-parts.ts';
import { rangesOf } from '../selection/fill-order.ts';
import { countSeriesOf, streamsOf } from '../selection/history-streams.ts';
import { ALARMS } from '../stream-names.ts';

/** A history that stores have to hold: a stream of a selection, or the history of alarms. */
export interface WantedHistory {
  /** Number of the selection under `runtime`, counted from 1, or `alarms`. */
  readonly selection: string;
  /** Name of the stream for people: `history`, one of its aggregates, or `alarms`. */
  readonly stream: string;
  /** Name of the stream in the ledger. The one of alarms holds the filter, which may be any text. */
  readonly name: string;
  readonly series: CountedSeries;
  readonly stores: readonly PointStore[];
  readonly stepSec: number;
  /** The range that each of the series must have. */
  readonly wanted: Range;
  /** Seconds before now that a series may lack without being behind. */
  readonly marginSec: number;
}

export type HistoriesContext = Pick<
  SyncContext,
  'config' | 'catalog' | 'stores' | 'postgresStore' | 'platform' | 'clock'
>;

/** Seconds that a series may be behind and still count as up to date. The next run reads the rest. */
const ABREAST_SEC = 600;
/** A history that is read at longer distances may be behind by two of them. */
const PERIODS = 2;
/** The distance that is assumed of a cron expression. */
const CRON_SEC = 86_400;

/** Lists the histories that the configuration wants. */
export async function listHistories(ctx: HistoriesContext): Promise<WantedHistory[]> {
  const order = { mode: 'increment', again: 'none' } as const;
  const { selections } = await ctx.catalog.count();
  const ofSeries = selections.flatMap((counted, index) => {
    const { history } = counted.selection;
    return streamsOf(history).map((stream) => ({
      selection: String(index + 1),
      stream: stream.name,
      name: stream.name,
      series: countSeriesOf(stream, counted),
      stores: ctx.stores,
      stepSec: stream.stepSec,
      wanted: rangesOf(ctx, order, { history, stepSec: stream.stepSec }).wanted,
      marginSec: marginOf(history, stream.stepSec),
    }));
  });
  const { history } = ctx.config.alarms;
  if (!history.enabled) return ofSeries;
  const ofAlarms: WantedHistory = {
    selection: ALARMS,
    stream: ALARMS,
    name: historyName(ctx.config),
    series: { count: 1, summed: { ids: [ALARM_SERIES] } },
    stores: [ctx.postgresStore],
    stepSec: 1,
    wanted: rangesOf(ctx, order, { history, stepSec: 1 }).wanted,
    marginSec: marginOf(history, 1),
  };
  return [...ofSeries, ofAlarms];
}

function marginOf(
  { settleMs, schedule }: { readonly settleMs: number; readonly schedule: Schedule },
  stepSec: number,
): number {
  const everySec = 'everyMs' in schedule ? schedule.everyMs / 1000 : CRON_SEC;
  return settleMs / 1000 + Math.max(ABREAST_SEC, PERIODS * stepSec, PERIODS * everySec);
}

import type { Selection } from '../../config/config-schema.ts';
import type { Schedule } from '../../config/schedule.ts';
import type { PointStore } from '../../load/stores/store.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import type { Range } from '../../series/types.ts';
import { ALARM_SERIES, historyName } from '../alarms/alarm-settings.ts';
import type { SyncContext } from '../context.ts';
import type { CountedSeries } from '../selection/chosen-parts.ts';
import { countChosen } from '../selection/count-chosen.ts';
import { type CoverageFilter, type FillOrder, orderOfLook, rangesOf } from '../selection/fill-order.ts';
import { countSeriesOf, seriesOf, streamsOf } from '../selection/history-streams.ts';
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
  'config' | 'ledger' | 'catalog' | 'stores' | 'postgresStore' | 'platform' | 'clock'
>;

/** Seconds that a series may be behind and still count as up to date. The next run reads the rest. */
const ABREAST_SEC = 600;
/** A history that is read at longer distances may be behind by two of them. */
const PERIODS = 2;
/** The distance that is assumed of a cron expression. */
const CRON_SEC = 86_400;

/** Lists the histories that the configuration wants, in the range of the filter if it has one. */
export async function listHistories(
  ctx: HistoriesContext,
  range: Pick<CoverageFilter, 'from' | 'to'> = {},
): Promise<WantedHistory[]> {
  const order = orderOfLook(range);
  const { selections } = await countChosen(ctx);
  const ofSeries = selections.flatMap((counted) =>
    streamsOf(counted.selection.history).map((stream) =>
      describeHistory(ctx, { ...counted, stream, order, series: countSeriesOf(stream, counted) }),
    ),
  );
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

/** Lists the histories of the series whose names match, some series at a time. */
export async function* listSeriesHistories(
  ctx: HistoriesContext,
  filter: CoverageFilter,
): AsyncGenerator<WantedHistory> {
  const order = orderOfLook(filter);
  for (const selection of ctx.config.runtime)
    for (const stream of streamsOf(selection.history))
      for await (const part of ctx.catalog.read(selection, filter)) {
        const ids = seriesOf(stream, part).map(({ id }) => id);
        const series = { count: ids.length, summed: { ids } };
        yield describeHistory(ctx, { selection, stream, order, series });
      }
}

interface HistoryQuestion {
  readonly selection: Selection;
  readonly stream: HistoryStream;
  readonly order: FillOrder;
  readonly series: CountedSeries;
}

function describeHistory(
  ctx: HistoriesContext,
  { selection, stream: { name, stepSec }, order, series }: HistoryQuestion,
): WantedHistory {
  const { history } = selection;
  return {
    selection: String(ctx.config.runtime.indexOf(selection) + 1),
    stream: name,
    name,
    series,
    stores: ctx.stores,
    stepSec,
    wanted: rangesOf(ctx, order, { history, stepSec }).wanted,
    marginSec: marginOf(history, stepSec),
  };
}

function marginOf(
  { settleMs, schedule }: { readonly settleMs: number; readonly schedule: Schedule },
  stepSec: number,
): number {
  const everySec = 'everyMs' in schedule ? schedule.everyMs / 1000 : CRON_SEC;
  return settleMs / 1000 + Math.max(ABREAST_SEC, PERIODS * stepSec, PERIODS * everySec);
}

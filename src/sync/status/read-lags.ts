import { ALARM_SERIES, historyName } from '../alarms/alarm-settings.ts';
import { platformNow, type SyncContext } from '../context.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import { ALARMS } from '../stream-names.ts';

/** How far one history has come in one store. */
export interface Lag {
  /** Number of the selection under `runtime`, counted from 1, or `alarms`. */
  readonly selection: string;
  /** Name of the stream: `history`, one of its aggregates, or `alarms`. */
  readonly stream: string;
  /** Kind of the store. */
  readonly store: string;
  /** Series that are wanted. */
  readonly series: number;
  /** Series that have nothing newer than ten minutes (or two buckets), or nothing at all. */
  readonly behind: number;
  /**
   * Seconds between now and the newest covered time of the series that is furthest behind. Undefined if no
   * series has any.
   */
  readonly lagSec: number | undefined;
}

/** Seconds that a series may be behind and still count as up to date. The next run reads the rest. */
const ABREAST_SEC = 600;

export type LagContext = Pick<
  SyncContext,
  'config' | 'catalog' | 'ledger' | 'stores' | 'postgresStore' | 'platform' | 'clock'
>;

interface History {
  readonly selection: string;
  readonly stream: string;
  /** Name of the stream in the ledger. */
  readonly name: string;
  readonly seriesIds: readonly number[];
  readonly stores: SyncContext['stores'];
  /** Seconds before now that a series may lack without being behind. */
  readonly marginSec: number;
}

/**
 * Reads from the ledger how far each selection of history, and the history of alarms, has come in each of its
 * stores.
 */
export async function readLags(ctx: LagContext): Promise<Lag[]> {
  const histories = [...(await listHistories(ctx)), ...listAlarmHistory(ctx)];
  const lags: Lag[] = [];
  for (const history of histories) lags.push(...(await readLagsOf(ctx, history)));
  return lags;
}

async function readLagsOf(ctx: LagContext, history: History): Promise<Lag[]> {
  const { selection, stream, name, seriesIds, stores, marginSec } = history;
  const now = platformNow(ctx);
  const heads = await ctx.ledger.coverage.readHeads({
    stream: name,
    stores: stores.map(({ id }) => id),
    seriesIds,
    abreastOf: now - marginSec * 1e6,
  });
  return stores.map(({ id, kind }) => {
    const head = heads.find(({ store }) => store === id);
    return {
      selection,
      stream,
      store: kind,
      series: seriesIds.length,
      behind: seriesIds.length - (head?.abreast ?? 0),
      lagSec: head && Math.max(0, (now - head.oldest) / 1e6),
    };
  });
}

async function listHistories(ctx: LagContext): Promise<History[]> {
  const selected = await ctx.catalog.select();
  return selected.flatMap(({ selection: { history }, series }, index) =>
    streamsOf(history).map((stream) => ({
      selection: String(index + 1),
      stream: stream.name,
      name: stream.name,
      seriesIds: seriesOf(stream, series).map(({ id }) => id),
      stores: ctx.stores,
      marginSec: history.settleMs / 1000 + Math.max(ABREAST_SEC, 2 * stream.stepSec),
    })),
  );
}

function listAlarmHistory({ config, postgresStore }: LagContext): History[] {
  const { enabled, settleMs } = config.alarms.history;
  if (!enabled) return [];
  const marginSec = settleMs / 1000 + ABREAST_SEC;
  // The name in the ledger holds the filter, which may be any text. The lag is shown without the filter.
  const name = historyName(config);
  return [
    {
      selection: ALARMS,
      stream: ALARMS,
      name,
      seriesIds: [ALARM_SERIES],
      stores: [postgresStore],
      marginSec,
    },
  ];
}

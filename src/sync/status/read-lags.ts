import type { CoverageHead } from '../../ledger/coverage.ts';
import { platformNow, type SyncContext } from '../context.ts';
import type { HistoriesContext, WantedHistory } from './wanted-histories.ts';

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
  /**
   * Series that have nothing newer than ten minutes (or two buckets, or two distances of the schedule), or
   * nothing at all.
   */
  readonly behind: number;
  /**
   * Seconds between now and the newest covered time of the series that is furthest behind. Undefined if no
   * series has any.
   */
  readonly lagSec: number | undefined;
}

export type LagContext = HistoriesContext & Pick<SyncContext, 'ledger'>;

/** Returns how far a history has come in each of its stores, by its heads. */
export function lagsOf(ctx: LagContext, history: WantedHistory, heads: readonly CoverageHead[]): Lag[] {
  const { selection, stream, stores } = history;
  const series = history.series.count;
  const now = platformNow(ctx);
  return stores.map(({ id, kind }) => {
    const head = heads.find(({ store }) => store === id);
    return {
      selection,
      stream,
      store: kind,
      series,
      behind: series - (head?.abreast ?? 0),
      lagSec: head && Math.max(0, (now - head.oldest) / 1e6),
    };
  });
}

/** Reads how far a history has come in each of its stores. A store without any coverage is left out. */
export function readHeads(ctx: LagContext, history: WantedHistory): Promise<CoverageHead[]> {
  const { name, series, stores, marginSec } = history;
  return ctx.ledger.coverage.readHeads({
    stream: name,
    stores: stores.map(({ id }) => id),
    series: series.summed,
    abreastOf: platformNow(ctx) - marginSec * 1e6,
  });
}

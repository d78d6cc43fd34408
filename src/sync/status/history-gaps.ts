import { clipByRetention } from '../retention.ts';
import type { CoverageFilter } from '../selection/fill-order.ts';
import { isNarrowed } from '../selection/series-filter.ts';
import { newestGaps } from './list-gaps.ts';
import type { LagContext } from './read-lags.ts';
import { listHistories, listSeriesHistories, type WantedHistory } from './wanted-histories.ts';

/** What is wanted and not stored of one history in one store. */
export interface HistoryGaps {
  /** Number of the selection under `runtime`, counted from 1, or `alarms`. */
  readonly selection: string;
  /** Name of the stream for people. */
  readonly stream: string;
  /** Identity of the store. */
  readonly store: string;
  readonly kind: string;
  /** Number of series that are wanted. */
  readonly wanted: number;
  /** Series with a gap. */
  readonly series: number;
  readonly hours: number;
  /** Start of the oldest gap. Undefined without a gap. */
  readonly oldest: number | undefined;
  /** Seconds of the longest gap that reaches to now. The next run reads such gaps. */
  readonly behindSec: number;
}

/**
 * Adds up what is wanted and not stored, for each history and store. For all series this grows with the
 * different shapes of coverage. A filter for names leads to a look at each series that matches.
 */
export async function readHistoryGaps(ctx: LagContext, filter: CoverageFilter = {}): Promise<HistoryGaps[]> {
  const gaps = new Map<string, HistoryGaps>();
  const add = async (history: WantedHistory) => {
    for (const sum of await sumHistory(ctx, history)) {
      const key = JSON.stringify([sum.selection, sum.stream, sum.store]);
      const before = gaps.get(key);
      const wanted = sum.wanted + (before?.wanted ?? 0);
      const known = before === undefined ? [sum] : [before, sum];
      gaps.set(key, { ...sum, ...addGaps(known), wanted });
    }
  };
  if (!isNarrowed(filter)) for (const history of await listHistories(ctx, filter)) await add(history);
  else for await (const history of listSeriesHistories(ctx, filter)) await add(history);
  return [...gaps.values()];
}

/** Adds up what each store of a history lacks. */
async function sumHistory(ctx: LagContext, history: WantedHistory): Promise<HistoryGaps[]> {
  const { selection, stream, name, series, wanted, stepSec, stores } = history;
  if (series.count === 0 || wanted.from >= wanted.to) return [];
  const newest = newestGaps(ctx, stepSec);
  const gaps: HistoryGaps[] = [];
  for (const store of stores) {
    const [kept] = clipByRetention(ctx, store, { ranges: [wanted], stepSec });
    const { newestFrom, ...sum } = await ctx.ledger.coverage.sumGaps({
      ...{ stream: name, store: store.id, series: series.summed, newest },
      wanted: kept ?? { from: 0, to: 0 },
    });
    const behindSec = newestFrom === undefined ? 0 : (newest.headUs - newestFrom) / 1e6;
    gaps.push({
      selection,
      stream,
      store: store.id,
      kind: store.kind,
      wanted: series.count,
      behindSec,
      ...sum,
    });
  }
  return gaps;
}

/** Adds up gaps. Returns undefined if there is none to add. */
export function addGaps(gaps: readonly HistoryGaps[]): HistoryGaps | undefined {
  const starts = gaps.flatMap(({ oldest }) => oldest ?? []);
  return (
    gaps[0] && {
      ...gaps[0],
      hours: gaps.reduce((sum, { hours }) => sum + hours, 0),
      series: gaps.reduce((sum, { series }) => sum + series, 0),
      oldest: starts.length === 0 ? undefined : Math.min(...starts),
      behindSec: Math.max(...gaps.map(({ behindSec }) => behindSec)),
    }
  );
}

import type { Selection } from '../../config/config-schema.ts';
import { alignDown, alignOutwards } from '../../series/history-stream.ts';
import { formatInstant } from '../../series/instant.ts';
import type { Range } from '../../series/types.ts';
import { type SyncContext, settledHead } from '../context.ts';
import { nameOfSelection } from './series-catalog.ts';
import type { SeriesFilter } from './series-filter.ts';

/** An order to fill history. Times are epoch microseconds. */
export type FillOrder =
  | (SeriesFilter & {
      readonly mode: 'increment';
      /** End of the range. It is now if not given. */
      readonly to?: number | undefined;
      /** What is read again before the newest data: the selection's `lookback`, its `sweep`, or nothing. */
      readonly again: 'lookback' | 'sweep' | 'none';
      /** Selection whose series are filled; all selections if not given. */
      readonly selection?: Selection;
      /**
       * When to stop reading what only some stores lack (epoch microseconds). The next run goes on with the
       * rest.
       */
      readonly catchUpUntil?: number | undefined;
    })
  | BackfillOrder;

export interface BackfillOrder extends SeriesFilter {
  readonly mode: 'backfill';
  readonly from: number;
  readonly to: number;
  /** Whether stored data is read again, too. */
  readonly force?: boolean;
  /** Number of the order in the ledger, if the service was asked for the backfill. */
  readonly number?: number | undefined;
}

/** What a run of a backfill was asked for, as the ledger keeps it. Times are ISO 8601. */
export interface AskedBackfill {
  readonly from: string;
  readonly to: string;
  /** Globs of objects and properties. Undefined for all. */
  readonly object?: string | undefined;
  readonly property?: string | undefined;
  readonly force: boolean;
  /** Number of the order by which the service was asked. Undefined for a command. */
  readonly order?: number | undefined;
}

/** Describes a backfill for the ledger. Returns undefined for an order of a schedule. */
export function askedOf(order: { readonly mode: 'increment' } | BackfillOrder): AskedBackfill | undefined {
  if (order.mode !== 'backfill') return undefined;
  const { from, to, objects, properties, force = false, number } = order;
  const times = { from: formatInstant(from), to: formatInstant(to) };
  return { ...times, object: objects, property: properties, force, order: number };
}

/** A range and some series, to look at what is stored of them. Times are epoch microseconds. */
export interface CoverageFilter extends SeriesFilter {
  /** The start. It is the start of history of each selection if not given. */
  readonly from?: number | undefined;
  /** The end. It is now if not given. */
  readonly to?: number | undefined;
}

/** Returns an order for what the filter asks for. It reads nothing again, so it is fit for a look. */
export function orderOfLook({ from, to, ...series }: CoverageFilter): FillOrder {
  return from === undefined
    ? { mode: 'increment', again: 'none', to, ...series }
    : { mode: 'backfill', from, to: to ?? Number.POSITIVE_INFINITY, ...series };
}

/** Returns the kind of a run in the ledger, by which the service finds when a filling was last done. */
export function kindOfFill(
  order: Pick<FillOrder, 'mode'> & { again?: string; selection?: Selection },
): string {
  const kind = order.again === 'sweep' ? 'sweep' : order.mode;
  return order.selection === undefined ? kind : `${kind} ${nameOfSelection(order.selection)}`;
}

export type HistorySettings = Pick<Selection['history'], 'start' | 'settleMs' | 'lookbackMs' | 'sweep'>;

/** Returns the whole steps around a range, up to `head`. */
export function clipToHead(range: Range, head: number, stepSec = 1): Range {
  const { from, to } = alignOutwards(range, stepSec);
  return { from, to: Math.min(to, head) };
}

/**
 * Returns the range that an order wants of a selection, or of the alarms, and the range that it reads again.
 * Both are in whole steps. The last step is not wanted before it is over, and settled.
 */
export function rangesOf(
  ctx: Pick<SyncContext, 'clock' | 'platform'>,
  order: FillOrder,
  { history, stepSec }: { history: HistorySettings; stepSec: number },
): { wanted: Range; again: Range | undefined } {
  const head = settledHead(ctx, history.settleMs, stepSec);
  if (order.mode === 'backfill') {
    const wanted = clipToHead(order, head, stepSec);
    return { wanted, again: order.force ? wanted : undefined };
  }
  const to = order.to === undefined ? head : clipToHead({ from: 0, to: order.to }, head, stepSec).to;
  const from = Math.max(0, 'at' in history.start ? history.start.at : head - history.start.backMs * 1000);
  const backMs = { lookback: history.lookbackMs, sweep: history.sweep.rangeMs, none: 0 }[order.again];
  return {
    wanted: { from: alignDown(from, stepSec), to },
    again: { from: alignDown(head - backMs * 1000, stepSec), to },
  };
}

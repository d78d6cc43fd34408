import type { Selection } from '../../config/config-schema.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { type SyncContext, settledHead } from '../context.ts';
import { estimateFill, type PlanLine } from '../history/estimate-fill.ts';
import { loadRates, type RateOf } from '../history/fill-rate.ts';
import { SERIES_PER_READ } from '../history/plan-fill.ts';
import { streamsOf } from '../selection/history-streams.ts';
import { isNamedInFull } from '../selection/select-series.ts';
import { nameOfSelection } from '../selection/series-catalog.ts';
import type { ListExtents } from './list-extents.ts';

/** The work to fill the history of one selection, or of all selections, since `history.start`. */
export interface Filling {
  readonly points: number;
  readonly requests: number;
  /** The time to read and to store. */
  readonly seconds: number;
  /** Whether no earlier filling has shown a rate, so that the time follows from assumed rates. */
  readonly isGuess: boolean;
}

/**
 * The points that one store is assumed to take in a second, until a filling has shown a rate. Two cores that
 * are free take several times as many.
 */
export const STORED_PER_SEC = 10_000;

/** Fillings that take longer, or bring more points, lead to a warning. */
export const LARGE_FILLING: Pick<Filling, 'points' | 'seconds'> = { points: 100e6, seconds: 86_400 };

export interface FillingQuestion {
  readonly selection: Selection;
  /** Number of series in the selection. */
  readonly count: number;
  /** Returns the points per hour of one series of a stream. Returns undefined if the density is not known. */
  readonly densityOf: (stream: string) => number | undefined;
}

/**
 * Estimates the points, requests and seconds of fillings. Covered ranges are left out if the directory is
 * stored.
 */
export class FillingEstimator {
  readonly #ctx: SyncContext;
  readonly #planned: readonly PlanLine[] | undefined;
  readonly #rateOf: RateOf;

  private constructor(ctx: SyncContext, planned: readonly PlanLine[] | undefined, rateOf: RateOf) {
    this.#ctx = ctx;
    this.#planned = planned;
    this.#rateOf = rateOf;
  }

  static async open(ctx: SyncContext, extents: ListExtents): Promise<FillingEstimator> {
    const isKnown = ctx.config.runtime.every(isNamedInFull) || (await extents.isStored(objectProperties));
    const order = { mode: 'increment', again: 'none' } as const;
    const planned = isKnown ? (await estimateFill(ctx, order)).lines : undefined;
    return new FillingEstimator(ctx, planned, await loadRates(ctx));
  }

  /**
   * Works out the filling of a selection at the rate of earlier fillings. Without one, the time is that of
   * the requests at `requestsPerSec`, and of storing at `STORED_PER_SEC`. Returns undefined if the density is
   * not known.
   */
  estimate(question: FillingQuestion, requestsPerSec: number): Filling | undefined {
    const { selection, count, densityOf } = question;
    const sum = { points: 0, requests: 0, seconds: 0, isGuess: false };
    for (const stream of streamsOf(selection.history)) {
      const density = densityOf(stream.name);
      if (density === undefined) return undefined;
      const seriesHours = this.#seriesHoursOf(selection, { stream: stream.name, count });
      if (seriesHours === 0) continue;
      const rate = this.#rateOf(stream);
      const points = seriesHours * density;
      const perRequest = rate?.rowsPerRequest ?? this.#ctx.config.limits.rowsPerRead;
      const requests = Math.max(Math.ceil(count / SERIES_PER_READ), Math.ceil(points / perRequest));
      sum.points += points;
      sum.requests += requests;
      sum.isGuess ||= rate === undefined;
      sum.seconds +=
        rate === undefined
          ? requests / requestsPerSec + (points * this.#ctx.stores.length) / STORED_PER_SEC
          : points / rate.rowsPerSec;
    }
    return sum;
  }

  #seriesHoursOf(selection: Selection, { stream, count }: { stream: string; count: number }): number {
    if (this.#planned !== undefined)
      return this.#planned
        .filter((line) => line.selection === nameOfSelection(selection) && line.stream === stream)
        .reduce((hours, line) => hours + line.seriesHours, 0);
    const { start, settleMs } = selection.history;
    const head = settledHead(this.#ctx, settleMs);
    const hours = ('at' in start ? Math.max(0, head - start.at) / 1000 : start.backMs) / 3_600_000;
    return count * hours;
  }
}

/** Adds up fillings that follow one another. */
export function sumFillings(fillings: readonly (Filling | undefined)[]): Filling {
  const sum = { points: 0, requests: 0, seconds: 0, isGuess: false };
  for (const filling of fillings) {
    sum.points += filling?.points ?? 0;
    sum.requests += filling?.requests ?? 0;
    sum.seconds += filling?.seconds ?? 0;
    sum.isGuess ||= filling?.isGuess ?? false;
  }
  return sum;
}

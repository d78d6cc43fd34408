import { describeError, StoreError } from '../../errors.ts';
import type { Claim, Claimant } from '../../ledger/leases/claims.ts';
import type { PointStore, Removal } from '../../load/stores/store.ts';
import { normalizePoints } from '../../normalize/normalize-points.ts';
import { type Differences, rangesAround } from '../../series/compare-points.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import type { RowsBySeries } from '../../series/rows.ts';
import type { Series, SeriesPoints } from '../../series/types.ts';
import type { Window } from '../../series/window.ts';
import type { SyncContext } from '../context.ts';
import type { PointSink } from '../history/point-sink.ts';
import { claimOf } from '../history/window-claims.ts';
import type { StoreTally } from './verify-report.ts';

/** A window whose points in a store differ from those of the platform. */
export interface Fault {
  readonly store: PointStore;
  readonly stream: HistoryStream;
  readonly tally: StoreTally;
  readonly window: Window;
  /** Differences, by number of the series. */
  readonly bySeries: ReadonlyMap<number, Differences>;
}

/** Reads a window of a stream as a whole. Resolves to undefined if that is not possible. */
export type ReadAgain = (stream: HistoryStream, window: Window) => Promise<RowsBySeries | undefined>;

export interface RepairDeps {
  /** The sink that writes points again. */
  readonly sink: PointSink;
  readonly readAgain: ReadAgain;
}

/**
 * Repairs windows of a store: removes extra points, and writes missing or different points again. Before
 * points are removed, their range is uncovered, and a claim keeps other fillings off. Then the platform is
 * read again, and the window is written. So a kill, or a point that comes meanwhile, loses nothing.
 */
export class WindowRepair {
  readonly #ctx: SyncContext;
  readonly #deps: RepairDeps;
  readonly #claimant: Claimant;

  constructor(ctx: SyncContext, parts: RepairDeps) {
    this.#ctx = ctx;
    this.#deps = parts;
    this.#claimant = ctx.ledger.claims.begin();
  }

  /**
   * Repairs one window. `rows` are the platform's rows of the window. Resolves to whether all of it is
   * repaired. Throws a `StoreError` if the store fails.
   */
  async mend(fault: Fault, rows: RowsBySeries): Promise<boolean> {
    const removals = await findRemovals(fault, rows);
    if (removals.length === 0) {
      await this.#write(fault, fault.window.series, rows);
      return true;
    }
    const claim = claimOf(fault.stream, fault.window, [fault.store]);
    const taken = await this.#claimant.take(claim);
    if (taken === undefined) {
      fault.tally.kept =
        'windows that another filling was reading are not repaired; run the repair once more';
      return false;
    }
    try {
      return await this.#replace(fault, { rows, removals, claim });
    } finally {
      await this.#claimant.release([taken.id]);
    }
  }

  async end(): Promise<void> {
    await this.#claimant.end();
  }

  async #replace(
    fault: Fault,
    { rows, removals, claim }: { rows: RowsBySeries; removals: readonly Removal[]; claim: Claim },
  ): Promise<boolean> {
    const { stream, window } = fault;
    const emptied = await this.#remove(fault, removals, claim);
    if (emptied.length === 0) {
      await this.#write(fault, window.series, rows);
      return false;
    }
    const latest = await this.#deps.readAgain(stream, { ...window, series: emptied });
    // A window that cannot be read now stays a gap, which the next run fills.
    if (latest !== undefined) await this.#write(fault, emptied, latest);
    await this.#write(
      fault,
      window.series.filter((each) => !emptied.includes(each)),
      rows,
    );
    return latest !== undefined;
  }

  /** Removes points from the store. Returns the series that points were removed from. */
  async #remove(
    { store, stream, tally }: Fault,
    removals: readonly Removal[],
    claim: Claim,
  ): Promise<Series[]> {
    if (store.remove === undefined) {
      tally.kept = 'extra points stay, because this version of the store cannot remove any';
      return [];
    }
    const series = removals.map((removal) => removal.series);
    const seriesIds = series.map(({ id }) => id);
    try {
      await store.remove(stream.name, removals, () =>
        this.#ctx.ledger.coverage.remove({ ...claim, store: store.id, seriesIds }),
      );
    } catch (error) {
      if (!(error instanceof StoreError) || error.action !== 'skip') throw error;
      tally.kept = describeError(error);
      return [];
    }
    return series;
  }

  /** Writes rows to the store. Resolves when the store has them, since the claim ends then. */
  async #write(fault: Fault, series: readonly Series[], rows: RowsBySeries): Promise<void> {
    if (series.length === 0) return;
    const { stream, store, window } = fault;
    const destination = { stream, stores: [store], fresh: false };
    const { settled } = await this.#deps.sink.write({ ...window, series }, rows, destination);
    await settled;
  }
}

/**
 * Lists the points that are removed before the right ones are written: extra points, and points with too many
 * fields.
 */
async function findRemovals(
  { store, stream, window, bySeries }: Fault,
  rows: RowsBySeries,
): Promise<Removal[]> {
  const removals: Removal[] = [];
  for (const series of window.series) {
    const { extra = [], overfull = [] } = bySeries.get(series.id) ?? {};
    if (extra.length + overfull.length === 0) continue;
    const surplus = [...extra, ...overfull].sort((a, b) => a - b);
    const held = await store.held(stream.name, await normalizeRows(series, rows));
    removals.push({ series, ranges: rangesAround(surplus, without(held.times, surplus)) });
  }
  return removals;
}

/** Returns the points of one series of a window. */
export async function normalizeRows(series: Series, rows: RowsBySeries): Promise<SeriesPoints> {
  const own = rows.get(series.id) ?? { times: [], values: [] };
  return (await normalizePoints(series, own)).points;
}

/**
 * Returns the times that are not among `others`. If the others are unknown, nothing can be said, and no times
 * are returned.
 */
export function without(times: readonly number[], others: readonly number[] | undefined): number[] {
  if (others === undefined) return [];
  const left = new Set(others);
  return times.filter((time) => !left.has(time));
}

import { describeError, StoreError } from '../../errors.ts';
import type { PointStore, Stretch } from '../../load/stores/store.ts';
import { type Differences, PointComparison } from '../../series/compare-points.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import type { RowsBySeries } from '../../series/rows.ts';
import type { Series, SeriesPoints } from '../../series/types.ts';
import { rangeOf, type Window } from '../../series/window.ts';
import type { SyncContext } from '../context.ts';
import type { Destination } from '../history/plan-fill.ts';
import type { Handover } from '../history/point-sink.ts';
import type { WindowSink } from '../history/window-reader.ts';
import type { StoreTally } from './verify-report.ts';
import { type Fault, normalizeRows, type ReadAgain, type WindowRepair, without } from './window-repair.ts';

/**
 * Times of extra points that are kept of one window, so that memory is bounded. Further points are counted,
 * and left to the next repair.
 */
const EXTRA_KEPT = 200_000;

export interface ComparingSinkDeps {
  /** Adds up the differences of each store. */
  readonly tallies: ReadonlyMap<PointStore, StoreTally>;
  /** Undefined if nothing is to be repaired. */
  readonly repair: WindowRepair | undefined;
  /** Reads a window as a whole. Resolves to undefined if that is not possible. */
  readonly readAgain: ReadAgain;
}

/**
 * Compares proven windows with the points that the stores have. Extra points count only if the platform,
 * asked once more after the store was read, still lacks them. So a point that came in between is not extra. A
 * store that fails is left out from then on.
 */
export class VerifySink implements WindowSink {
  readonly #ctx: SyncContext;
  readonly #deps: ComparingSinkDeps;
  #unusableTimes = 0;

  constructor(ctx: SyncContext, parts: ComparingSinkDeps) {
    this.#ctx = ctx;
    this.#deps = parts;
  }

  /** Rows of the platform without a usable time. They have no place in a store. */
  get unusableTimes(): number {
    return this.#unusableTimes;
  }

  accepts({ stores }: Destination): boolean {
    return stores.some((store) => this.#deps.tallies.get(store)?.failure === undefined);
  }

  rejectRow(): void {
    this.#unusableTimes += 1;
  }

  async write(window: Window, rows: RowsBySeries, { stream, stores }: Destination): Promise<Handover> {
    const points: SeriesPoints[] = [];
    for (const each of window.series) points.push(await normalizeRows(each, rows));
    const read = { stream, window, points };
    await Promise.all(stores.map((store) => this.#verify(store, read)));
    return { settled: Promise.resolve() };
  }

  async #verify(store: PointStore, { stream, window, points }: WindowRead): Promise<void> {
    const tally = this.#deps.tallies.get(store);
    if (tally === undefined || tally.failure !== undefined) return;
    try {
      const held: SeriesPoints[] = [];
      for (const each of points) held.push(await store.held(stream.name, each));
      const stretch = { stream: stream.name, series: window.series, range: rangeOf(window) };
      const bySeries = await this.#compare(store, stretch, held);
      for (const each of held) tally.points += each.times.length;
      tally.windows += 1;
      if (bySeries.size > 0) await this.#settle({ store, stream, tally, window, bySeries });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      tally.failure ??= `not everything could be compared: ${describeError(error)}`;
    }
  }

  /** Returns the series that differ, by number. */
  async #compare(
    store: PointStore,
    stretch: Stretch,
    held: readonly SeriesPoints[],
  ): Promise<Map<number, Differences>> {
    const budget = { extra: EXTRA_KEPT };
    const comparisons = new Map(
      held.map((points) => [points.series.id, new PointComparison(points, budget)]),
    );
    for await (const stored of store.read(stretch)) {
      this.#ctx.signal.throwIfAborted();
      comparisons.get(stored.series.id)?.push(stored);
    }
    const found = [...comparisons].map(([id, comparison]) => [id, comparison.finish()] as const);
    return new Map(found.filter(([, differences]) => differs(differences)));
  }

  /**
   * Asks the platform once more if needed, counts the differences that remain, and repairs them if that is
   * wanted.
   */
  async #settle(fault: Fault): Promise<void> {
    const { store, stream, tally, bySeries } = fault;
    const window = { ...fault.window, series: fault.window.series.filter(({ id }) => bySeries.has(id)) };
    const { repair } = this.#deps;
    const hasExtra = [...bySeries.values()].some(({ extra }) => extra.length > 0);
    const rows = hasExtra || repair !== undefined ? await this.#deps.readAgain(stream, window) : undefined;
    const kept = new Map<number, readonly number[]>();
    for (const each of rows === undefined ? [] : window.series) {
      const held = await store.held(stream.name, await normalizeRows(each, rows as RowsBySeries));
      kept.set(each.id, held.times);
    }
    const confirmed = new Map(
      [...bySeries].map(([id, found]) => [id, { ...found, extra: without(found.extra, kept.get(id)) }]),
    );
    for (const each of window.series) tally.add(stream.name, each, confirmed.get(each.id) ?? nothing);
    if (repair === undefined || rows === undefined) return;
    const series = window.series.filter(({ id }) => differs(confirmed.get(id) ?? nothing));
    if (series.length === 0) return;
    const isMended = await repair.mend(
      { ...fault, window: { ...window, series }, bySeries: confirmed },
      rows,
    );
    // Extra points whose times are not kept stay for the next repair.
    const isWhole = ({ id }: Series) => isMended && confirmed.get(id)?.extraBeyond === 0;
    for (const each of series.filter(isWhole)) tally.noteRepaired(stream.name, each);
  }
}

/** A window, with the points that the platform has in it. */
interface WindowRead {
  readonly stream: HistoryStream;
  readonly window: Window;
  readonly points: readonly SeriesPoints[];
}

const nothing: Differences = { missing: [], extra: [], extraBeyond: 0, different: [], overfull: [] };

function differs({ missing, extra, extraBeyond, different }: Differences): boolean {
  return missing.length + extra.length + extraBeyond + different.length > 0;
}

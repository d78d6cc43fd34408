import { messageOf, StoreError } from '../errors.ts';
import type { PointStore } from '../load/store.ts';
import { type Differences, PointComparison } from '../series/compare-points.ts';
import type { RowsBySeries } from '../series/rows.ts';
import type { SeriesPoints } from '../series/types.ts';
import { rangeOf, type Window } from '../series/window.ts';
import type { SyncContext } from './context.ts';
import { type Destination, HISTORY } from './plan-fill.ts';
import type { WindowSink } from './read-batches.ts';
import { StoreTally, type StoreVerification } from './verify-report.ts';
import { type Fault, normalizeRows, type ReadAgain, type WindowRepair, without } from './window-repair.ts';

/** Times of extra points that are kept of one window, so that memory is bounded; more are counted, and left to the next repair. */
const EXTRA_KEPT = 200_000;

export interface VerifyParts {
  /** Undefined where nothing is to be repaired. */
  readonly repair: WindowRepair | undefined;
  /** Reads a window as a whole; undefined if that is not possible. */
  readonly readAgain: ReadAgain;
}

/**
 * Compares proven windows with what the stores have of them. Extra points count only if the platform, asked once more after the store
 * was read, has them still not: a point that came in between is none. A store that fails is left out from then on.
 */
export class VerifySink implements WindowSink {
  readonly #ctx: SyncContext;
  readonly #parts: VerifyParts;
  readonly #tallies: Map<PointStore, StoreTally>;
  #unusableTimes = 0;

  constructor(ctx: SyncContext, parts: VerifyParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#tallies = new Map(ctx.stores.map((store) => [store, new StoreTally(store)]));
  }

  /** Rows of the platform whose time cannot be read; they have no place in a store. */
  get unusableTimes(): number {
    return this.#unusableTimes;
  }

  report(): StoreVerification[] {
    return [...this.#tallies.values()].map((tally) => tally.report());
  }

  accepts({ stores }: Destination): boolean {
    return stores.some((store) => this.#tallies.get(store)?.failure === undefined);
  }

  rejectTime(): void {
    this.#unusableTimes += 1;
  }

  async write(window: Window, rows: RowsBySeries, { stores }: Destination): Promise<void> {
    const points = window.series.map((each) => normalizeRows(each, rows));
    await Promise.all(stores.map((store) => this.#verify(store, window, points)));
  }

  async #verify(store: PointStore, window: Window, points: readonly SeriesPoints[]): Promise<void> {
    const tally = this.#tallies.get(store);
    if (tally === undefined || tally.failure !== undefined) return;
    try {
      const held = points.map((each) => store.held(each));
      const bySeries = await this.#compare(store, window, held);
      for (const each of held) tally.points += each.times.length;
      tally.windows += 1;
      if (bySeries.size > 0) await this.#settle({ store, tally, window, bySeries });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      tally.failure ??= `not everything could be compared: ${messageOf(error)}`;
    }
  }

  /** The series that differ, by number. */
  async #compare(
    store: PointStore,
    window: Window,
    held: readonly SeriesPoints[],
  ): Promise<Map<number, Differences>> {
    const budget = { extra: EXTRA_KEPT };
    const comparisons = new Map(
      held.map((points) => [points.series.id, new PointComparison(points, budget)]),
    );
    const stretch = { stream: HISTORY, series: window.series, range: rangeOf(window) };
    for await (const stored of store.read(stretch)) {
      this.#ctx.signal.throwIfAborted();
      comparisons.get(stored.series.id)?.push(stored);
    }
    const found = [...comparisons].map(([id, comparison]) => [id, comparison.finish()] as const);
    return new Map(found.filter(([, differences]) => differs(differences)));
  }

  /** Asks the platform once more where that matters, counts what remains, and repairs it if that is wanted. */
  async #settle(fault: Fault): Promise<void> {
    const { store, tally, bySeries } = fault;
    const window = { ...fault.window, series: fault.window.series.filter(({ id }) => bySeries.has(id)) };
    const { repair } = this.#parts;
    const hasExtra = [...bySeries.values()].some(({ extra }) => extra.length > 0);
    const rows = hasExtra || repair !== undefined ? await this.#parts.readAgain(window) : undefined;
    const kept = new Map(
      window.series.map((each) => [each.id, rows && store.held(normalizeRows(each, rows)).times]),
    );
    const confirmed = new Map(
      [...bySeries].map(([id, found]) => [id, { ...found, extra: without(found.extra, kept.get(id)) }]),
    );
    for (const each of window.series) tally.add(each, confirmed.get(each.id) ?? nothing);
    if (repair === undefined || rows === undefined) return;
    const series = window.series.filter(({ id }) => differs(confirmed.get(id) ?? nothing));
    if (series.length > 0)
      await repair.mend({ ...fault, window: { ...window, series }, bySeries: confirmed }, rows);
  }
}

const nothing: Differences = { missing: [], extra: [], extraBeyond: 0, different: [], overfull: [] };

function differs({ missing, extra, extraBeyond, different }: Differences): boolean {
  return missing.length + extra.length + extraBeyond + different.length > 0;
}

import { messageOf, StoreError } from '../errors.ts';
import type { Reject } from '../ledger/rejects.ts';
import type { Commit, PointBatch, PointStore, RefusedPoints, Transaction } from '../load/store.ts';
import { normalizePoints } from '../normalize/points.ts';
import type { RowsBySeries } from '../series/rows.ts';
import { type Series, type SeriesPoints, seriesName } from '../series/types.ts';
import { rangeOf, type Window } from '../series/window.ts';
import type { SyncContext } from './context.ts';
import { type Destination, HISTORY } from './plan-fill.ts';
import type { RunSummary } from './summary.ts';

/**
 * Brings proven windows into the stores that lack them. A store that fails is left out for the rest of the run and does
 * not hold up the others; what it lacks stays uncovered there. When none is left, the run ends with the last error.
 */
export class PointSink {
  readonly #ctx: SyncContext;
  readonly #summary: RunSummary;
  readonly #down = new Set<PointStore>();
  #rejects: Reject[] = [];
  #kept: Promise<void> = Promise.resolve();
  #collisions = 0;

  constructor(ctx: SyncContext, summary: RunSummary) {
    this.#ctx = ctx;
    this.#summary = summary;
    // In the order of the stores, whichever acknowledges first.
    for (const { kind } of ctx.stores) summary.points[kind] = 0;
  }

  /** False if every store that lacks this stretch has failed in this run: reading it would be in vain. */
  accepts(destination: Destination): boolean {
    return destination.stores.some((store) => !this.#down.has(store));
  }

  /** Writes the complete rows of a window; resolves when every healthy store has acknowledged them. */
  async write(window: Window, rows: RowsBySeries, destination: Destination): Promise<void> {
    const range = rangeOf(window);
    await this.#keepRejects();
    const series = window.series.map((each) => this.#normalize(each, rows));
    for (const points of series) this.#summary.records += points.times.length;
    const batch = { stream: HISTORY, range, series, fresh: destination.fresh };
    await Promise.all(
      destination.stores
        .filter((store) => !this.#down.has(store))
        .map((store) => this.#writeTo(store, batch)),
    );
  }

  /** Keeps a row whose time cannot be read: it has no place in a store. */
  rejectTime(window: Window, seriesId: number, row: readonly unknown[]): void {
    const series = window.series.find(({ id }) => id === seriesId);
    const key = series === undefined ? String(seriesId) : seriesName(series);
    this.#rejects.push({
      stream: HISTORY,
      kind: 'point',
      key,
      range: rangeOf(window),
      reason: 'the time cannot be read',
      sample: row,
    });
  }

  async finish(): Promise<void> {
    await this.#keepRejects();
    if (this.#collisions > 0)
      this.#ctx.log.info(
        { stream: HISTORY, collisions: this.#collisions },
        'times that came twice; the last value of each was kept',
      );
  }

  /**
   * Resolves when all rejects so far are in the ledger, whichever window brings them there: a window is called stored only after
   * that, so that a crash hides nothing.
   */
  #keepRejects(): Promise<void> {
    const rejects = this.#rejects;
    this.#rejects = [];
    if (rejects.length > 0) this.#kept = this.#kept.then(() => this.#addRejects(rejects));
    return this.#kept;
  }

  async #addRejects(rejects: readonly Reject[], tx?: Transaction): Promise<void> {
    if (rejects.length === 0) return;
    await this.#ctx.ledger.rejects.add(rejects, tx);
    this.#summary.rejects += rejects.reduce((sum, { count = 1 }) => sum + count, 0);
  }

  #normalize(series: Series, rows: RowsBySeries): SeriesPoints {
    const { points, collisions } = normalizePoints(series, rows.get(series.id) ?? { times: [], values: [] });
    this.#collisions += collisions;
    return points;
  }

  async #writeTo(store: PointStore, batch: PointBatch): Promise<void> {
    const seriesIds = batch.series.map((points) => points.series.id);
    const covered = { store: store.id, stream: HISTORY, seriesIds, range: batch.range };
    let ledgerError: unknown;
    const commit: Commit = async (tx, refused) => {
      try {
        await this.#addRejects(rejectsOf(store, batch.series, refused), tx);
        await this.#ctx.ledger.coverage.add(covered, tx);
      } catch (error) {
        ledgerError = error;
        throw error;
      }
    };
    try {
      const { written } = await store.write(batch, commit);
      this.#summary.points[store.kind] = (this.#summary.points[store.kind] ?? 0) + written;
    } catch (error) {
      if (!(error instanceof StoreError) || ledgerError !== undefined) throw error;
      const isNews = !this.#down.has(store);
      this.#down.add(store);
      // Thrown, it becomes a problem of the run by itself.
      if (this.#ctx.stores.every((each) => this.#down.has(each))) throw error;
      if (isNews) this.#summary.problems.push(messageOf(error));
    }
  }
}

function rejectsOf(
  store: PointStore,
  series: readonly SeriesPoints[],
  refused: readonly RefusedPoints[],
): Reject[] {
  return refused.map(({ seriesId, range, reason, count, samples }) => {
    const of = series.find((points) => points.series.id === seriesId)?.series;
    const key = of === undefined ? String(seriesId) : seriesName(of);
    return { stream: HISTORY, kind: store.kind, key, range, reason, count, sample: samples };
  });
}

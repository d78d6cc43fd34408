import { Breaks } from '../../breaks.ts';
import { describeError, StoreError } from '../../errors.ts';
import type { Reject } from '../../ledger/rejects/rejects.ts';
import type { Commit, PointBatch, PointStore, RefusedPoints } from '../../load/stores/store.ts';
import { normalizePoints } from '../../normalize/normalize-points.ts';
import { sampleOf } from '../../normalize/text.ts';
import type { Transaction } from '../../postgres/queryable.ts';
import { HISTORY, type HistoryStream } from '../../series/history-stream.ts';
import type { RowsBySeries } from '../../series/rows.ts';
import { type Series, type SeriesPoints, seriesName } from '../../series/types.ts';
import { rangeOf, type Window } from '../../series/window.ts';
import type { Batch } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { addPoints, type RunSummary } from '../run-summary.ts';
import { writeCleared } from './clear-surplus.ts';
import type { Destination } from './plan-fill.ts';
import { SkippedWindows } from './skipped-windows.ts';
import { StoreQueue } from './store-queue.ts';

/** Windows that are written to one store at once. */
const WRITES_AT_ONCE = 8;
/** Bytes that a point takes in memory, without its text. */
const POINT_BYTES = 80;

/**
 * Brings proven windows into the stores that lack them, each store at its own speed, in bounded memory. A
 * store that fails, or falls too far behind another, does not hold up the others. The windows that a store
 * lacks stay uncovered for that store. Each store is in one of three states.
 *
 *                  queue is full
 *   ┌────────┐ ──────────────────► ┌─────────────────────────────┐
 *   │ taking │                     │ full: windows are skipped.  │
 *   └────────┘ ◄────────────────── │ `takeBehind` returns them.  │
 *       │       half is written    └─────────────────────────────┘
 *       │ a write fails                      │ a write fails
 *       ▼                                    ▼
 *   ┌────────────────────────────────────────────────────────────┐
 *   │ down: the store gets no more windows in this run.          │
 *   └────────────────────────────────────────────────────────────┘
 *
 * The run ends if the last store is down, or if the ledger fails. The next call then throws the error.
 */
export class PointSink {
  readonly #ctx: SyncContext;
  readonly #summary: RunSummary;
  readonly #down = new Set<PointStore>();
  readonly #queues: ReadonlyMap<PointStore, StoreQueue<PointBatch>>;
  readonly #behind = new SkippedWindows();
  /** The error that ends the run: an error of the ledger, or of the last store. */
  #fatal: { readonly error: unknown } | undefined;
  #rejects: Reject[] = [];
  #kept: Promise<void> = Promise.resolve();
  #collisions = 0;

  constructor(ctx: SyncContext, summary: RunSummary) {
    this.#ctx = ctx;
    this.#summary = summary;
    // The summary shows the stores in their order, not in the order of their acknowledgements.
    for (const { kind } of ctx.stores) summary.points[kind] = 0;
    const maxBytes = ctx.config.limits.bytesInFlight / 2 / Math.max(1, ctx.stores.length);
    this.#queues = new Map(
      ctx.stores.map((store) => {
        const write = (batch: PointBatch) => this.#writeTo(store, batch);
        return [store, new StoreQueue({ write, maxBytes, writesAtOnce: WRITES_AT_ONCE })];
      }),
    );
  }

  /**
   * Tells whether a store of the destination still takes windows in this run. If none does, reading for them
   * is in vain.
   */
  accepts(destination: Destination): boolean {
    return destination.stores.some((store) => !this.#down.has(store));
  }

  /**
   * Takes the complete rows of a window. Resolves when the store that is ahead can take more. Throws the
   * error that ends the run: an error of the ledger, or of the last store.
   */
  async write(window: Window, rows: RowsBySeries, destination: Destination): Promise<Handover> {
    const range = rangeOf(window);
    await this.#keepRejects();
    const series = await this.#normalize(window.series, rows);
    for (const points of series) this.#summary.records += points.times.length;
    const batch = { stream: destination.stream.name, range, series, fresh: destination.fresh };
    const bytes = series.reduce((sum, points) => sum + bytesOf(points), 0);
    for (;;) {
      const queues = this.#healthyQueues(destination);
      // Room is looked for and filled without a pause in between, because many windows wait for the same
      // room.
      if (queues.length === 0 || queues.some(([, queue]) => queue.wantsMore)) {
        const writes: Promise<void>[] = [];
        for (const [store, queue] of queues) {
          if (queue.hasRoom) writes.push(queue.put(batch, bytes));
          else this.#behind.add(store, window, destination);
        }
        return { settled: Promise.all(writes) };
      }
      await Promise.race(queues.map(([, queue]) => queue.changed()));
    }
  }

  /** Takes the windows that were skipped for slow stores, as batches. Each window is returned once. */
  takeBehind(): Batch<Destination>[] {
    return this.#behind.take().filter(({ tag }) => this.accepts(tag));
  }

  /** Keeps a reject for a row whose time cannot be used. Such a row has no place in a store. */
  rejectRow({ stream, window, seriesId }: RejectedPlace, row: readonly unknown[], reason: string): void {
    const series = window.series.find(({ id }) => id === seriesId);
    const key = series === undefined ? String(seriesId) : seriesName(series);
    this.#rejects.push({
      stream: stream.name,
      kind: 'point',
      key,
      range: rangeOf(window),
      reason,
      sample: sampleOf(row),
    });
  }

  /**
   * Resolves when every healthy store has acknowledged all windows that it was given. Throws like `write`.
   */
  async drain(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.untilIdle()));
    if (this.#fatal !== undefined) throw this.#fatal.error;
  }

  /** Ends the sink. Windows that wait are still written, unless the run was interrupted. */
  async finish(): Promise<void> {
    if (this.#ctx.signal.aborted) for (const queue of this.#queues.values()) queue.clear();
    await Promise.all([...this.#queues.values()].map((queue) => queue.untilIdle()));
    await this.#keepRejects();
    if (this.#collisions > 0)
      this.#ctx.log.info(
        { stream: HISTORY, collisions: this.#collisions },
        'some times came twice; the last value of each was kept',
      );
  }

  /**
   * Brings rejects to the ledger. Resolves when all rejects so far are there, also those of other windows. A
   * window counts as stored only after that, so that a crash hides no reject.
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

  /**
   * Returns the queues of the destination's healthy stores. Throws the error that ended the run, or its
   * interruption.
   */
  #healthyQueues({ stores }: Destination): [PointStore, StoreQueue<PointBatch>][] {
    if (this.#fatal !== undefined) throw this.#fatal.error;
    this.#ctx.signal.throwIfAborted();
    return [...this.#queues].filter(([store]) => stores.includes(store) && !this.#down.has(store));
  }

  async #normalize(series: readonly Series[], rows: RowsBySeries): Promise<SeriesPoints[]> {
    const breaks = new Breaks();
    const all: SeriesPoints[] = [];
    for (const each of series) {
      const own = rows.get(each.id) ?? { times: [], values: [] };
      const { points, collisions } = await normalizePoints(each, own, breaks);
      this.#collisions += collisions;
      all.push(points);
    }
    return all;
  }

  async #writeTo(store: PointStore, batch: PointBatch): Promise<void> {
    const seriesIds = batch.series.map((points) => points.series.id);
    const covered = { store: store.id, stream: batch.stream, seriesIds, range: batch.range };
    let ledgerError: unknown;
    const commit: Commit = async (tx, refused) => {
      try {
        await this.#addRejects(rejectsOf(store, batch, refused), tx);
        await this.#ctx.ledger.coverage.add(covered, tx);
      } catch (error) {
        ledgerError = error;
        throw error;
      }
    };
    try {
      const write = () => store.write(batch, commit);
      const { written } = await writeCleared(this.#ctx, { store, batch, write });
      addPoints(this.#summary, store, written);
    } catch (error) {
      const isStores = error instanceof StoreError && ledgerError === undefined;
      const isNews = !this.#down.has(store);
      if (isStores) this.#down.add(store);
      // The next call throws this error, which then becomes a problem of the run.
      if (!isStores || this.#ctx.stores.every((each) => this.#down.has(each))) this.#fatal ??= { error };
      else if (isNews) this.#summary.problems.push(describeError(error));
      throw error;
    }
  }
}

/** A window that the sink has taken. */
export interface Handover {
  /** Resolves when no store has the window to write any more: each has acknowledged the window, or failed. */
  readonly settled: Promise<unknown>;
}

/** Where an unusable row came from. */
export interface RejectedPlace {
  readonly stream: HistoryStream;
  readonly window: Window;
  readonly seriesId: number;
}

function bytesOf({ times, texts }: SeriesPoints): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), times.length * POINT_BYTES);
}

function rejectsOf(
  store: PointStore,
  { stream, series }: PointBatch,
  refused: readonly RefusedPoints[],
): Reject[] {
  return refused.map(({ seriesId, range, reason, count, samples }) => {
    const of = series.find((points) => points.series.id === seriesId)?.series;
    const key = of === undefined ? String(seriesId) : seriesName(of);
    return { stream, kind: store.kind, key, range, reason, count, sample: samples };
  });
}

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
 * Brings proven windows into the stores that lack them, each store at its own pace, in bounded memory. A store that fails is left out for
 * the rest of the run; when none is left, the run ends with the last error. A store that falls too far behind another is passed
 * over, and what it lacks is read again for it alone (`takeBehind`). So neither holds up the others; and what a store lacks stays
 * uncovered there.
 */
export class PointSink {
  readonly #ctx: SyncContext;
  readonly #summary: RunSummary;
  readonly #down = new Set<PointStore>();
  readonly #queues: ReadonlyMap<PointStore, StoreQueue<PointBatch>>;
  readonly #behind = new SkippedWindows();
  /** What ended it: the ledger failed, or every store. */
  #fatal: { readonly error: unknown } | undefined;
  #rejects: Reject[] = [];
  #kept: Promise<void> = Promise.resolve();
  #collisions = 0;

  constructor(ctx: SyncContext, summary: RunSummary) {
    this.#ctx = ctx;
    this.#summary = summary;
    // In the order of the stores, whichever acknowledges first.
    for (const { kind } of ctx.stores) summary.points[kind] = 0;
    const maxBytes = ctx.config.limits.bytesInFlight / 2 / Math.max(1, ctx.stores.length);
    this.#queues = new Map(
      ctx.stores.map((store) => {
        const write = (batch: PointBatch) => this.#writeTo(store, batch);
        return [store, new StoreQueue({ write, maxBytes, writesAtOnce: WRITES_AT_ONCE })];
      }),
    );
  }

  /** False if every store that lacks this stretch has failed in this run: reading it would be in vain. */
  accepts(destination: Destination): boolean {
    return destination.stores.some((store) => !this.#down.has(store));
  }

  /**
   * Takes the complete rows of a window; resolves when the store that is ahead can do with more. Throws what ended the run: an error of
   * the ledger, or of the last store.
   */
  async write(window: Window, rows: RowsBySeries, destination: Destination): Promise<Handover> {
    const range = rangeOf(window);
    await this.#keepRejects();
    const series = window.series.map((each) => this.#normalize(each, rows));
    for (const points of series) this.#summary.records += points.times.length;
    const batch = { stream: destination.stream.name, range, series, fresh: destination.fresh };
    const bytes = series.reduce((sum, points) => sum + bytesOf(points), 0);
    for (;;) {
      const queues = this.#healthyQueues(destination);
      // Asked and filled without a pause in between: many windows wait for the same room.
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

  /** Batches that stores got not, because they were too far behind others; each only once. */
  takeBehind(): Batch<Destination>[] {
    return this.#behind.take().filter(({ tag }) => this.accepts(tag));
  }

  /** Keeps a row whose time cannot be used: it has no place in a store. */
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

  /** Resolves when every healthy store has acknowledged all that it was given. Throws like `write`. */
  async drain(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.untilIdle()));
    if (this.#fatal !== undefined) throw this.#fatal.error;
  }

  /** Ends it: what waits is still written, unless the run was interrupted. */
  async finish(): Promise<void> {
    if (this.#ctx.signal.aborted) for (const queue of this.#queues.values()) queue.clear();
    await Promise.all([...this.#queues.values()].map((queue) => queue.untilIdle()));
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

  /** Throws what ended the run, or its interruption. */
  #healthyQueues({ stores }: Destination): [PointStore, StoreQueue<PointBatch>][] {
    if (this.#fatal !== undefined) throw this.#fatal.error;
    this.#ctx.signal.throwIfAborted();
    return [...this.#queues].filter(([store]) => stores.includes(store) && !this.#down.has(store));
  }

  #normalize(series: Series, rows: RowsBySeries): SeriesPoints {
    const { points, collisions } = normalizePoints(series, rows.get(series.id) ?? { times: [], values: [] });
    this.#collisions += collisions;
    return points;
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
      // Thrown by the next who asks, it becomes a problem of the run by itself.
      if (!isStores || this.#ctx.stores.every((each) => this.#down.has(each))) this.#fatal ??= { error };
      else if (isNews) this.#summary.problems.push(describeError(error));
      throw error;
    }
  }
}

/** A window that was taken. */
export interface Handover {
  /** Resolves when no store has it to write any more: each has acknowledged it, or failed. */
  readonly settled: Promise<unknown>;
}

/** Where a row that cannot be used came from. */
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

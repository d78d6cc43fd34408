import { randomUUID } from 'node:crypto';
import { PlantsyncError, withCode } from '../../errors.ts';
import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import { readAhead } from '../../read-ahead.ts';
import { HISTORY, type HistoryStream, parseHistoryStream } from '../../series/history-stream.ts';
import type { Batch } from '../../series/window-planner.ts';
import { sleep } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../context.ts';
import { fillBatches } from '../history/fill-batches.ts';
import { noteOrder } from '../history/fill-history.ts';
import { keepRate, loadRates, type Tally } from '../history/fill-rate.ts';
import { type Destination, planFill } from '../history/plan-fill.ts';
import { type AskedSeries, describeCovered, type Portion, planPortions } from '../history/plan-order.ts';
import { tellTotal } from '../history/tell-total.ts';
import { recordRun } from '../record-run.ts';
import { findTooOld } from '../retention.ts';
import { addPoints, type RunSummary } from '../run-summary.ts';
import { askedOf, type BackfillOrder, kindOfFill } from '../selection/fill-order.ts';
import { cutPieces, type Piece } from './cut-pieces.ts';

/** The pieces of a backfill, for a function that has workers do them. */
export interface Dispatch {
  readonly pieces: Iterable<Piece>;
  /**
   * Called with the end of each piece, or with the reason why nobody did it. Returns false to end the
   * dispatch once the pieces under way have ended.
   */
  readonly onEnd: (piece: Piece, end: RunSummary | { error: string }) => boolean;
  /** Aborts when nobody may begin a piece any more: the dispatch takes back the pieces that wait. */
  readonly signal: AbortSignal;
}

/** Most rounds of a backfill. Each later round plans what the round before it failed to do. */
const ROUNDS = 3;
/** Milliseconds between two rounds, so that a trouble can pass. */
const BETWEEN_ROUNDS_MS = 5_000;
/** Pieces that may fail in a row before the trouble counts as a general one. */
const MAX_FAILURES = 8;

/** Fills history like `fillHistory`, but in pieces that `dispatch` has workers do. */
export async function fillByPieces(
  context: SyncContext,
  order: BackfillOrder,
  dispatch: (work: Dispatch) => Promise<void>,
): Promise<RunSummary> {
  const run = { stream: HISTORY, kind: kindOfFill(order), asked: askedOf(order) };
  return recordRun(context, run, async (summary, ctx) => {
    await askPlatformClock(ctx);
    summary.notes.push(...findTooOld(ctx, order).sentences);
    const noteLeftOut = await noteOrder(ctx, summary, order);
    const problems = new Set<string>();
    const work = randomUUID();
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Only the first round reads stored data again. Later rounds read what is still missing, or there would
      // be no end.
      const force = round === 1 && (order.force ?? false);
      const count = { asked: 0, open: 0 };
      const asked = { order: { ...order, force }, work, count };
      const { failures, portions } = await dispatchRound(ctx, { ...asked, summary, dispatch, problems });
      if (round === 1 && portions === 0) summary.notes.push(...describeCovered(order, count));
      if (failures.size === 0) break;
      if (round < ROUNDS) await sleep(BETWEEN_ROUNDS_MS, ctx.signal);
      else for (const failure of failures) problems.add(failure);
    }
    summary.problems.push(...problems);
    await noteLeftOut?.();
  });
}

interface Round {
  readonly order: BackfillOrder;
  /** Gets the numbers of the series that are asked for. */
  readonly count: AskedSeries;
  /** Name of the backfill. */
  readonly work: string;
  readonly summary: RunSummary;
  readonly dispatch: (work: Dispatch) => Promise<void>;
  /** Problems of pieces that came to their end, such as windows that could not be read. */
  readonly problems: Set<string>;
}

/** What a round has done so far. */
interface RoundState {
  readonly failures: Set<string>;
  readonly works: Map<string, Work>;
  /** Pieces that failed since the last one that did not. */
  inARow: number;
  portions: number;
}

/** Has workers do the portions of a plan, one after the other. No plan is in memory as a whole. */
async function dispatchRound(ctx: SyncContext, round: Round): Promise<RoundState> {
  const { order, count } = round;
  const state: RoundState = { failures: new Set(), works: new Map(), inARow: 0, portions: 0 };
  const startedMs = steadyMs();
  let onEnd: (() => void) | undefined;
  try {
    for await (const portion of readAhead(planPortions(ctx, order, { count }))) {
      state.portions += 1;
      const isSingle = portion.isLast && state.portions === 1;
      if (!isSingle) onEnd ??= tellTotal(ctx, order);
      await dispatchPortion(ctx, { ...round, ...portion, isSingle }, state);
      if (state.inARow >= MAX_FAILURES) break;
    }
  } finally {
    onEnd?.();
  }
  await keepRates(ctx, state.works, (steadyMs() - startedMs) / 1000);
  return state;
}

async function dispatchPortion(
  ctx: SyncContext,
  { batches, isSingle, order, ...round }: Round & Portion & { readonly isSingle: boolean },
  state: RoundState,
): Promise<void> {
  const { work, summary, dispatch, problems } = round;
  const { rowsPerRead } = ctx.config.limits;
  const cutting = { rateOf: await loadRates(ctx), rowsPerRead, force: order.force ?? false, work };
  let hours = 0;
  for (const piece of cutPieces(batches, cutting)) hours += hoursOf(piece);
  if (isSingle) ctx.progress.plan?.(hours);
  const line = ctx.progress.start(HISTORY, hours, 'series-hours');
  addStreams(state.works, batches);
  const onEnd: Dispatch['onEnd'] = (piece, end) => {
    line.add(hoursOf(piece));
    if ('status' in end) {
      addTo(summary, end);
      addWork(state.works.get(piece.stream), piece, end);
      line.bring(end.records, 'points');
    }
    const failure = failureOf(end);
    state.inARow = failure === undefined ? 0 : state.inARow + 1;
    if (failure !== undefined) state.failures.add(failure);
    else if ('status' in end) for (const problem of end.problems) problems.add(problem);
    return state.inARow < MAX_FAILURES;
  };
  let ending: string | undefined = 'failed';
  try {
    await dispatch({ pieces: cutPieces(batches, cutting), onEnd, signal: ctx.signal });
    ending = undefined;
  } finally {
    line.finish(ctx.signal.aborted ? 'interrupted' : ending);
  }
}

function addTo(summary: RunSummary, { records, points, rejects, requests }: RunSummary): void {
  summary.records += records;
  summary.rejects += rejects;
  summary.requests += requests;
  for (const [kind, count] of Object.entries(points)) addPoints(summary, { kind }, count);
}

/** Sums of what the pieces of one stream did. */
interface Work {
  readonly stream: HistoryStream;
  readonly tally: Tally;
  /** Seconds of work on the pieces, added up over workers that work side by side. */
  workedSec: number;
}

/** Adds the streams of batches of which nothing was done yet. */
function addStreams(works: Map<string, Work>, batches: readonly Batch<Destination>[]): void {
  for (const { tag } of batches) {
    const { stream } = tag;
    if (works.has(stream.name)) continue;
    works.set(stream.name, { stream, tally: { requests: 0, rows: 0, seriesSec: 0 }, workedSec: 0 });
  }
}

function addWork(work: Work | undefined, piece: Piece, { records, requests, seconds }: RunSummary): void {
  if (work === undefined) return;
  work.tally.requests += requests;
  work.tally.rows += records;
  work.tally.seriesSec += hoursOf(piece) * 3600;
  work.workedSec += seconds;
}

/**
 * Keeps how fast all workers together were. Each stream gets a share of the elapsed time, by the work of its
 * pieces.
 */
async function keepRates(
  ctx: SyncContext,
  works: ReadonlyMap<string, Work>,
  elapsedSec: number,
): Promise<void> {
  const workedSec = [...works.values()].reduce((sum, work) => sum + work.workedSec, 0);
  for (const { stream, tally, ...work } of works.values())
    await keepRate(ctx, stream, {
      tally,
      seconds: elapsedSec * (work.workedSec / Math.max(workedSec, 0.001)),
    });
}

/** Returns why a piece was not done. Returns undefined if the piece was done. */
function failureOf(end: RunSummary | { error: string }): string | undefined {
  if ('error' in end) return withCode('sync.worker_failed', end.error);
  return end.status === 'failed' ? (end.problems[0] ?? 'the piece failed') : undefined;
}

function hoursOf({ seriesIds, range }: Piece): number {
  return (seriesIds.length * (range.to - range.from)) / 3.6e9;
}

/**
 * Fills one piece. The coverage is read again, so a piece that is done twice reads nothing the second time,
 * unless `force` is set.
 */
export async function fillPiece(context: SyncContext, piece: Piece): Promise<RunSummary> {
  return recordRun(context, { stream: HISTORY, kind: 'piece' }, async (summary, ctx) => {
    const stream = parseHistoryStream(piece.stream);
    if (stream === undefined)
      throw new PlantsyncError(
        'sync.mixed_versions',
        `this process knows no stream of history ${piece.stream}: run the same version in all processes`,
        { action: 'skip' },
      );
    const series = await ctx.ledger.series.findById(piece.seriesIds);
    const question = { stream, series, wanted: piece.range, again: piece.force ? piece.range : undefined };
    const work = { batches: await planFill(ctx, question), isPart: true };
    // Each backfill tries series that could not be read lately, and its pieces in this process try them once.
    const seriesCooldown =
      piece.work === undefined ? ctx.seriesCooldown : ctx.seriesCooldown.forWork(piece.work);
    await fillBatches({ ...ctx, seriesCooldown, priority: 'bulk' }, summary, work);
  });
}

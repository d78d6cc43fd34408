import { PlantsyncError } from '../../errors.ts';
import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import { HISTORY, type HistoryStream, parseHistoryStream } from '../../series/history-stream.ts';
import type { Batch } from '../../series/window-planner.ts';
import { sleep } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../context.ts';
import { fillBatches } from '../history/fill-batches.ts';
import { describeCovered, noteOrder, planHistory } from '../history/fill-history.ts';
import { keepRate, loadRates, type Tally } from '../history/fill-rate.ts';
import { type Destination, planFill } from '../history/plan-fill.ts';
import { recordRun } from '../record-run.ts';
import { findTooOld } from '../retention.ts';
import { addPoints, type RunSummary } from '../run-summary.ts';
import { type BackfillOrder, kindOfFill } from '../selection/fill-order.ts';
import { cutPieces, type Piece } from './cut-pieces.ts';

/** What has pieces done by others. */
export interface Dispatch {
  readonly pieces: Iterable<Piece>;
  /** Told what became of each piece, or why nothing did; false ends the dispatch when what is under way has ended. */
  readonly onEnd: (piece: Piece, end: RunSummary | { error: string }) => boolean;
  /** Aborted, it takes back what nobody has begun. */
  readonly signal: AbortSignal;
}

/** Plans are made anew as long as that brings anything, so many times without. */
const ROUNDS = 3;
/** Time for a trouble to pass. */
const BETWEEN_ROUNDS_MS = 5_000;
/** Pieces in a row that fail before the trouble is taken to be a general one. */
const MAX_FAILURES = 8;

/** Brings history into every store that lacks it, like `fillHistory`, in pieces that `dispatch` has done elsewhere. */
export async function fillByPieces(
  context: SyncContext,
  order: BackfillOrder,
  dispatch: (work: Dispatch) => Promise<void>,
): Promise<RunSummary> {
  const run = { stream: HISTORY, kind: kindOfFill(order), canBeCancelled: true };
  return recordRun(context, run, async (summary, ctx) => {
    await askPlatformClock(ctx);
    summary.notes.push(...findTooOld(ctx, order).sentences);
    await noteOrder(ctx, summary, order);
    const problems = new Set<string>();
    for (let round = 1; round <= ROUNDS; round += 1) {
      // What is stored is read again in the first round only, or there would be no end.
      const force = round === 1 && (order.force ?? false);
      const batches = await planHistory(ctx, { ...order, force });
      if (round === 1 && batches.length === 0) summary.notes.push(...(await describeCovered(ctx, order)));
      const failures = await dispatchRound(ctx, {
        batches,
        force,
        summary,
        dispatch,
        problems,
      });
      if (failures.size === 0) break;
      if (round < ROUNDS) await sleep(BETWEEN_ROUNDS_MS, ctx.signal);
      else for (const failure of failures) problems.add(failure);
    }
    summary.problems.push(...problems);
  });
}

interface Round {
  readonly batches: readonly Batch<Destination>[];
  /** Reads again what is stored. */
  readonly force: boolean;
  readonly summary: RunSummary;
  readonly dispatch: (work: Dispatch) => Promise<void>;
  /** What pieces that came to their end could not read or write. */
  readonly problems: Set<string>;
}

async function dispatchRound(
  ctx: SyncContext,
  { batches, force, summary, dispatch, problems }: Round,
): Promise<ReadonlySet<string>> {
  const { rowsPerRead } = ctx.config.limits;
  const cutting = { rateOf: await loadRates(ctx), rowsPerRead, force };
  const pieces = [...cutPieces(batches, cutting)];
  const line = ctx.progress.start(
    HISTORY,
    pieces.reduce((sum, piece) => sum + hoursOf(piece), 0),
    'series-hours',
  );
  const failures = new Set<string>();
  const works = worksOf(batches);
  const startedMs = steadyMs();
  let inARow = 0;
  const onEnd: Dispatch['onEnd'] = (piece, end) => {
    line.add(hoursOf(piece));
    if ('status' in end) {
      addTo(summary, end);
      addWork(works.get(piece.stream), piece, end);
      line.bring(end.records, 'points');
    }
    const failure = failureOf(end);
    inARow = failure === undefined ? 0 : inARow + 1;
    if (failure !== undefined) failures.add(failure);
    else if ('status' in end) for (const problem of end.problems) problems.add(problem);
    return inARow < MAX_FAILURES;
  };
  let ending: string | undefined = 'failed';
  try {
    await dispatch({ pieces, onEnd, signal: ctx.signal });
    ending = undefined;
  } finally {
    line.finish(ctx.signal.aborted ? 'interrupted' : ending);
  }
  await keepRates(ctx, works, (steadyMs() - startedMs) / 1000);
  return failures;
}

function addTo(summary: RunSummary, { records, points, rejects, requests }: RunSummary): void {
  summary.records += records;
  summary.rejects += rejects;
  summary.requests += requests;
  for (const [kind, count] of Object.entries(points)) addPoints(summary, { kind }, count);
}

/** What the pieces of one stream did together. */
interface Work {
  readonly stream: HistoryStream;
  readonly tally: Tally;
  /** Seconds that workers were at them, side by side. */
  workedSec: number;
}

function worksOf(batches: readonly Batch<Destination>[]): ReadonlyMap<string, Work> {
  const workOf = (stream: HistoryStream): Work => ({
    stream,
    tally: { requests: 0, rows: 0, seriesSec: 0 },
    workedSec: 0,
  });
  return new Map(batches.map(({ tag: { stream } }) => [stream.name, workOf(stream)]));
}

function addWork(work: Work | undefined, piece: Piece, { records, requests, seconds }: RunSummary): void {
  if (work === undefined) return;
  work.tally.requests += requests;
  work.tally.rows += records;
  work.tally.seriesSec += hoursOf(piece) * 3600;
  work.workedSec += seconds;
}

/** Keeps how fast all workers together were; of the time that it took, each stream has its share of their work. */
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

/** Why a piece was not done; undefined if it was. */
function failureOf(end: RunSummary | { error: string }): string | undefined {
  if ('error' in end) return end.error;
  return end.status === 'failed' ? (end.problems[0] ?? 'it failed') : undefined;
}

function hoursOf({ seriesIds, range }: Piece): number {
  return (seriesIds.length * (range.to - range.from)) / 3.6e9;
}

/** Does one piece: coverage is looked at again, so a piece that is done twice costs nothing. */
export async function fillPiece(context: SyncContext, piece: Piece): Promise<RunSummary> {
  return recordRun(context, { stream: HISTORY, kind: 'piece' }, async (summary, ctx) => {
    const stream = parseHistoryStream(piece.stream);
    if (stream === undefined)
      throw new PlantsyncError(
        `${piece.stream} is no stream of history: are all processes of one version?`,
        'skip',
      );
    const series = await ctx.ledger.series.findById(piece.seriesIds);
    const question = { stream, series, wanted: piece.range, again: piece.force ? piece.range : undefined };
    const work = { batches: await planFill(ctx, question), isPart: true };
    await fillBatches({ ...ctx, priority: 'bulk' }, summary, work);
  });
}

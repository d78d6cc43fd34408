import { UnprovenHistory } from '../../series/bounds.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { seriesSecOf } from '../../series/window.ts';
import { type Batch, type PlannedWindow, seriesHoursOf, WindowPlanner } from '../../series/window-planner.ts';
import { sleepOrWake } from '../../sleep.ts';
import type { SyncContext } from '../context.ts';
import { loadRates } from './fill-rate.ts';
import type { Destination } from './plan-fill.ts';
import { type Outcome, WindowReader, type WindowReaderDeps } from './window-reader.ts';
import { WindowStreaks } from './window-streaks.ts';

/** Windows that are read at once. */
const WINDOWS_AT_ONCE = 8;
/** Width of the first window, while the density is not known. */
const FIRST_SPAN_SEC = 3_600;
/** Milliseconds before a window that another filling reads is looked at again. */
const BUSY_MS = 250;

export interface Reading extends Omit<WindowReaderDeps, 'planner'> {
  /** Batches of one stream, or of streams that are read alike. */
  readonly batches: readonly Batch<Destination>[];
  /** When to take no more windows (epoch microseconds). The rest stays uncovered. */
  readonly until?: number | undefined;
}

type Planned = PlannedWindow<Destination>;

/**
 * Reads all batches in windows, several at once, and brings their rows to the sink. Until the platform has
 * answered for the first time, only one window is under way. If its replies prove nothing, reading ends early
 * and `unreadable` gets the reason. Throws the platform's error if several windows in a row, or all windows,
 * stay unanswered.
 */
export async function readInWindows(ctx: SyncContext, reading: Reading): Promise<void> {
  const planner = await createPlanner(ctx, reading);
  const reader = new WindowReader(ctx, { ...reading, planner });
  const line = ctx.progress.start(HISTORY, seriesHoursOf(reading.batches), 'series-hours');
  const underWay = new Set<Promise<void>>();
  const streaks = new WindowStreaks();
  const waits = new Set<Promise<void>>();
  const waitFor = (window: Planned) => {
    planner.putBack(window);
    const wait = sleepOrWake(BUSY_MS, ctx.signal).then(() => {
      waits.delete(wait);
      planner.resume(window);
    });
    waits.add(wait);
  };
  const note = (window: Planned, outcome: Outcome) => {
    if (outcome.busy) return waitFor(window);
    line.bring(outcome.rows ?? 0, 'points');
    line.add(seriesSecOf(window) / 3600);
    streaks.note(outcome);
  };
  let ending: string | undefined = 'failed';
  try {
    for (;;) {
      ctx.signal.throwIfAborted();
      streaks.throwIfLong();
      const isLate = reading.until !== undefined && ctx.clock() >= reading.until;
      const room = !isLate && underWay.size < (streaks.hasAnswer ? WINDOWS_AT_ONCE : 1);
      const window = room ? planner.take() : undefined;
      if (window !== undefined) {
        const work = reader.read(window).then((outcome) => {
          underWay.delete(work);
          note(window, outcome);
        });
        underWay.add(work);
      } else if (underWay.size + waits.size > 0) await Promise.race([...underWay, ...waits]);
      else break;
    }
    streaks.throwIfSilent();
    ending = undefined;
  } catch (error) {
    if (!(error instanceof UnprovenHistory)) throw error;
    reading.unreadable.addStop(error.message);
  } finally {
    await Promise.allSettled(underWay);
    line.finish(ctx.signal.aborted ? 'interrupted' : ending);
  }
}

async function createPlanner(ctx: SyncContext, reading: Reading): Promise<WindowPlanner<Destination>> {
  const { rowsPerRead, bytesInFlight } = ctx.config.limits;
  // The other half is for the windows that wait to be written.
  const bytes = bytesInFlight / 2 / WINDOWS_AT_ONCE;
  const [one] = reading.batches;
  const { rowsPerSeriesHour } = (one && (await loadRates(ctx))(one.tag.stream)) ?? {};
  const goals = { rows: rowsPerRead, bytes, firstSpanSec: FIRST_SPAN_SEC, rowsPerSeriesHour };
  return new WindowPlanner(reading.batches, goals, reading.replySizes);
}

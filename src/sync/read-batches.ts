import { setTimeout as pause } from 'node:timers/promises';
import { classifyFailure, createWindowRead } from '../extract/windows.ts';
import { DividingReader } from '../series/dividing-reader.ts';
import { type Knowledge, sizeOf } from '../series/knowledge.ts';
import type { Window } from '../series/window.ts';
import { type Batch, type PlannedWindow, WindowPlanner } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';
import type { Tally } from './pace.ts';
import { type Destination, HISTORY } from './plan-fill.ts';
import type { PointSink } from './point-sink.ts';
import type { Unreadable } from './unreadable.ts';
import { WindowClaims } from './window-claims.ts';

/** Windows under way at once. */
const WINDOWS_AT_ONCE = 8;
/** Windows in a row of which the platform answers nothing, before it is taken to be at fault. */
const MAX_SILENT_WINDOWS = 3;
/** The `limit` sent is this many times the rows aimed at, so that an ordinary surprise is not cut. */
export const LIMIT_FACTOR = 5;
/** Width of the first window, while nothing is known of the density. */
const FIRST_SPAN_SEC = 3_600;

/** Takes the windows that are read. */
export type WindowSink = Pick<PointSink, 'accepts' | 'write' | 'rejectTime'>;

/** Before a window that another filling reads is looked at again. */
const BUSY_MS = 250;

export interface Reading {
  readonly batches: readonly Batch<Destination>[];
  readonly knowledge: Knowledge;
  readonly sink: WindowSink;
  readonly unreadable: Unreadable;
  /** Told what was read. */
  readonly tally?: Tally;
}

type Planned = PlannedWindow<Destination>;

/** What became of one window: `failure` is the last error where the platform answered nothing of it. */
interface Outcome {
  readonly answered: boolean;
  readonly failure?: unknown;
  readonly rows?: number;
  /** Another filling reads the window just now. */
  readonly busy?: boolean;
}

/**
 * Reads all batches in windows, several at once, and brings their rows to the sink. Until the platform has answered for the first time
 * only one window is under way. Throws the platform's error if it answers nothing of several windows in a row, or of any.
 */
export async function readBatches(ctx: SyncContext, reading: Reading): Promise<void> {
  const { rowsPerRead, bytesInFlight } = ctx.config.limits;
  const goals = { rows: rowsPerRead, bytes: bytesInFlight / WINDOWS_AT_ONCE, firstSpanSec: FIRST_SPAN_SEC };
  const planner = new WindowPlanner(reading.batches, goals, reading.knowledge);
  const claims = new WindowClaims(ctx);
  const reader = new BatchReader(ctx, { ...reading, planner, claims });
  const line = ctx.progress.start(HISTORY, seriesHoursOf(reading.batches), 'series-hours');
  const underWay = new Set<Promise<void>>();
  const silence = { windows: 0, answered: false, failure: undefined as unknown };
  const waits = new Set<Promise<void>>();
  const waitFor = (window: Planned) => {
    planner.putBack(window);
    const wait = pause(BUSY_MS, undefined, { signal: ctx.signal })
      .catch(() => undefined)
      .then(() => {
        waits.delete(wait);
        planner.resume(window);
      });
    waits.add(wait);
  };
  const note = (window: Planned, { answered, failure, busy, rows = 0 }: Outcome) => {
    if (busy) return waitFor(window);
    line.bring(rows, 'points');
    line.add((window.series.length * (window.toSec - window.fromSec)) / 3600);
    silence.answered ||= answered;
    silence.windows = failure === undefined ? 0 : silence.windows + 1;
    silence.failure = failure ?? silence.failure;
  };
  let ending: string | undefined = 'failed';
  try {
    for (;;) {
      ctx.signal.throwIfAborted();
      if (silence.windows >= MAX_SILENT_WINDOWS) throw silence.failure;
      const room = underWay.size < (silence.answered ? WINDOWS_AT_ONCE : 1);
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
    if (!silence.answered && silence.failure !== undefined) throw silence.failure;
    ending = undefined;
  } finally {
    await Promise.allSettled(underWay);
    await claims.end();
    line.finish(ctx.signal.aborted ? 'interrupted' : ending);
  }
}

type ReaderParts = Reading & {
  readonly planner: WindowPlanner<Destination>;
  readonly claims: WindowClaims;
};

/** Reads single windows; the limit that the platform accepts is found once for all of them. */
class BatchReader {
  readonly #ctx: SyncContext;
  readonly #parts: ReaderParts;
  readonly #limit: { current: number };

  constructor(ctx: SyncContext, parts: ReaderParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#limit = { current: ctx.config.limits.rowsPerRead * LIMIT_FACTOR };
  }

  async read(planned: Planned): Promise<Outcome> {
    const { sink, planner, claims } = this.#parts;
    if (!sink.accepts(planned.batch.tag)) return { answered: false };
    const outcome = await claims.read(planned, (left) => this.#read(left));
    if (outcome === undefined) planner.skip(planned);
    return outcome === 'busy' ? { answered: false, busy: true } : (outcome ?? { answered: false });
  }

  async #read(planned: Planned): Promise<Outcome> {
    const { sink, planner, knowledge, tally } = this.#parts;
    const window = this.#withoutResting(planned);
    if (window.series.length === 0) return { answered: false };
    const size = { rows: 0, seriesRows: 0 };
    const largest = { bytes: 0, rows: 0 };
    const lost: { part: Window; reason: string }[] = [];
    let failure: unknown;
    const ask = createWindowRead({
      platform: this.#ctx.platform,
      parseInstant: this.#ctx.parseInstant,
      signal: this.#ctx.signal,
      priority: this.#ctx.priority,
      onReject: (seriesId, row) => sink.rejectTime(window, seriesId, row),
      onReply: (bytes, rows) => {
        if (bytes > largest.bytes) Object.assign(largest, { bytes, rows });
      },
    });
    const reader = new DividingReader({
      read: (request) => {
        if (tally !== undefined) tally.requests += 1;
        return ask(request).catch((error) => {
          failure = error;
          if (classifyFailure(error) === 'smaller') planner.noteFailure(planned);
          throw error;
        });
      },
      classify: classifyFailure,
      knowledge,
      limit: this.#limit,
      onComplete: async (part, rows) => {
        const own = sizeOf(rows);
        size.rows += own.rows;
        size.seriesRows = Math.max(size.seriesRows, own.seriesRows);
        for (const { id } of part.series) this.#ctx.seriesAside.take(id);
        await sink.write(part, rows, planned.batch.tag);
      },
      onUnreadable: async (part, reason) => void lost.push({ part, reason }),
    });
    const answered = await reader.readWindow(window);
    const isWhole = planned.series.length === planned.batch.series.length;
    if (isWhole) planner.note(planned, size, largest.rows > 0 ? largest.bytes / largest.rows : undefined);
    else planner.skip(planned);
    if (tally !== undefined) addTo(tally, { window, rows: size.rows });
    const silent = !answered && classifyFailure(failure) !== 'isolate';
    for (const each of lost) this.#noteLost(window, each, { setAside: !silent });
    const { rows } = size;
    return silent ? { answered, failure, rows } : { answered, rows };
  }

  /** Series that could not be read at all lately are left out: isolating them in every window would cost many requests. */
  #withoutResting(window: Planned): Window {
    const { seriesAside } = this.#ctx;
    for (const series of window.series) {
      const reason = seriesAside.rests(series.id) ? seriesAside.reasonOf(series.id) : undefined;
      if (reason !== undefined) this.#parts.unreadable.add({ ...window, series: [series] }, reason);
    }
    return { ...window, series: window.series.filter(({ id }) => !seriesAside.rests(id)) };
  }

  #noteLost(
    window: Window,
    { part, reason }: { part: Window; reason: string },
    { setAside }: { setAside: boolean },
  ): void {
    this.#parts.unreadable.add(part, reason);
    const whole = part.fromSec === window.fromSec && part.toSec === window.toSec;
    if (whole && setAside) for (const { id } of part.series) this.#ctx.seriesAside.put(id, reason);
  }
}

function addTo(tally: Tally, { window, rows }: { window: Window; rows: number }): void {
  tally.rows += rows;
  tally.seriesSec += window.series.length * (window.toSec - window.fromSec);
}

/** Amount of work of a plan: hours of time, for each series. */
function seriesHoursOf(batches: readonly Batch<Destination>[]): number {
  return batches.reduce(
    (sum, { series, missing }) =>
      sum + (series.length * missing.reduce((width, { from, to }) => width + to - from, 0)) / 3.6e9,
    0,
  );
}

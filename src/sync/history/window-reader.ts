import { codeOf } from '../../errors.ts';
import { classifyFailure, createWindowRead } from '../../extract/windows.ts';
import { DividingReader } from '../../series/dividing-reader.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import { type ReplySizes, sizeOf } from '../../series/reply-sizes.ts';
import type { Series } from '../../series/types.ts';
import { seriesSecOf, type Window } from '../../series/window.ts';
import type { PlannedWindow, WindowPlanner } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import { traceWindow } from '../spans.ts';
import type { Tally } from './fill-rate.ts';
import type { Destination } from './plan-fill.ts';
import type { PointSink } from './point-sink.ts';
import type { UnreadableWindows } from './unreadable-windows.ts';
import type { WindowClaims } from './window-claims.ts';

/**
 * The `limit` of a request is this many times the rows aimed at, so that a somewhat denser window is not cut.
 */
export const LIMIT_FACTOR = 5;

/** Takes the rows of the windows that are read. */
export type WindowSink = Pick<PointSink, 'accepts' | 'write' | 'rejectRow'>;

export interface WindowReaderDeps {
  readonly planner: WindowPlanner<Destination>;
  readonly replySizes: ReplySizes;
  readonly sink: WindowSink;
  readonly unreadable: UnreadableWindows;
  /** Keeps other fillings off the windows that are read. Undefined if nothing is filled. */
  readonly claims?: WindowClaims | undefined;
  /** Adds up the requests and rows of the windows. */
  readonly tally?: Tally | undefined;
}

type Planned = PlannedWindow<Destination>;

/** What became of one window. `failure` is the last error if the platform answered nothing for the window. */
export interface Outcome {
  readonly answered: boolean;
  readonly failure?: unknown;
  readonly rows?: number;
  /** Whether the window took all requests that a window may take, and yet is not read to its end. */
  readonly isSpent?: boolean;
  /** Whether another filling reads the window just now. */
  readonly busy?: boolean;
}

/** Called with a promise that must settle before the window counts as done. Its rows are stored then. */
type Hold = (until: Promise<unknown>) => void;

/** Reads single windows. The limit that the platform accepts is found once for all of them. */
export class WindowReader {
  readonly #ctx: SyncContext;
  readonly #deps: WindowReaderDeps;
  readonly #limit: { current: number };

  constructor(ctx: SyncContext, parts: WindowReaderDeps) {
    this.#ctx = ctx;
    this.#deps = parts;
    this.#limit = { current: ctx.config.limits.rowsPerRead * LIMIT_FACTOR };
  }

  async read(planned: Planned): Promise<Outcome> {
    const { stream } = planned.batch.tag;
    return traceWindow(this.#ctx, { stream: stream.name, window: planned }, async (span) => {
      const outcome = await this.#readClaimed(planned);
      span.note({ rows: outcome.rows });
      if (outcome.failure !== undefined) span.fail(codeOf(outcome.failure));
      return outcome;
    });
  }

  async #readClaimed(planned: Planned): Promise<Outcome> {
    const { sink, planner, claims } = this.#deps;
    if (!sink.accepts(planned.batch.tag)) return { answered: false };
    if (claims === undefined) return this.#read(planned, () => undefined);
    const outcome = await claims.read(planned, (left, hold) => this.#read(left, hold));
    if (outcome === undefined) planner.skip(planned);
    return outcome === 'busy' ? { answered: false, busy: true } : (outcome ?? { answered: false });
  }

  async #read(planned: Planned, hold: Hold): Promise<Outcome> {
    const { sink, planner, replySizes, tally } = this.#deps;
    const { stream } = planned.batch.tag;
    const window = this.#withoutResting(planned);
    if (window.series.length === 0) return { answered: false };
    const size = { rows: 0, seriesRows: 0 };
    const largest = { bytes: 0, rows: 0 };
    const lost: { part: Window; reason: string }[] = [];
    let failure: unknown;
    const ask = this.#createRead(window, { stream, largest });
    const reader = new DividingReader(window, {
      read: (request) => {
        if (tally !== undefined) tally.requests += 1;
        return ask(request).catch((error) => {
          failure = error;
          if (classifyFailure(error) === 'smaller') planner.noteFailure(planned);
          throw error;
        });
      },
      classify: classifyFailure,
      replySizes,
      limit: this.#limit,
      onComplete: async (part, rows) => {
        const own = sizeOf(rows);
        size.rows += own.rows;
        size.seriesRows = Math.max(size.seriesRows, own.seriesRows);
        for (const { id } of part.series) this.#ctx.seriesCooldown.take(asideKey(stream, id));
        hold((await sink.write(part, rows, planned.batch.tag)).settled);
      },
      onUnreadable: async (part, reason) => void lost.push({ part, reason }),
    });
    const { answered, isSpent } = await reader.read();
    const isWhole = planned.series.length === planned.batch.series.length;
    if (isWhole) planner.note(planned, size, largest.rows > 0 ? largest.bytes / largest.rows : undefined);
    else planner.skip(planned);
    if (tally !== undefined) addTo(tally, { window, rows: size.rows });
    const silent = !answered && classifyFailure(failure) !== 'isolate';
    for (const each of lost) this.#noteLost(window, { ...each, stream, setAside: !silent && !isSpent });
    const { rows } = size;
    return silent ? { answered, failure, rows } : { answered, isSpent, rows };
  }

  #createRead(
    window: Window,
    { stream, largest }: { stream: HistoryStream; largest: { bytes: number; rows: number } },
  ): ReturnType<typeof createWindowRead> {
    const { platform, parseInstant, signal, priority } = this.#ctx;
    return createWindowRead({
      platform,
      parseInstant,
      signal,
      priority,
      aggregate: stream.aggregate,
      onReject: (seriesId, row, reason) =>
        this.#deps.sink.rejectRow({ stream, window, seriesId }, row, reason),
      onReply: (bytes, rows) => {
        if (bytes > largest.bytes) Object.assign(largest, { bytes, rows });
      },
    });
  }

  /**
   * Leaves out series that could not be read at all lately. Isolating them in every window would cost many
   * requests.
   */
  #withoutResting({ batch, series, fromSec, toSec, stepSec }: Planned): Window {
    const { seriesCooldown } = this.#ctx;
    const window = { series, fromSec, toSec, stepSec };
    const keyOf = ({ id }: Series) => asideKey(batch.tag.stream, id);
    const resting = series.filter((each) => seriesCooldown.rests(keyOf(each)));
    if (resting.length === 0) return window;
    for (const each of resting)
      this.#deps.unreadable.addResting(each, {
        reason: seriesCooldown.reasonOf(keyOf(each)) ?? '',
        asideUntil: this.#untilOf(keyOf(each)),
      });
    return { ...window, series: series.filter((each) => !resting.includes(each)) };
  }

  #noteLost(
    window: Window,
    {
      part,
      reason,
      stream,
      setAside,
    }: { part: Window; reason: string; stream: HistoryStream; setAside: boolean },
  ): void {
    const whole = part.fromSec === window.fromSec && part.toSec === window.toSec;
    const keys = whole && setAside ? part.series.map(({ id }) => asideKey(stream, id)) : [];
    for (const key of keys) this.#ctx.seriesCooldown.put(key, reason);
    const [first] = keys;
    this.#deps.unreadable.add(part, reason, first === undefined ? undefined : this.#untilOf(first));
  }

  /** Returns until when a series is set aside, by the clock of this machine. */
  #untilOf(key: string): number {
    const { clock, seriesCooldown } = this.#ctx;
    return clock() + seriesCooldown.restMs(key) * 1000;
  }
}

function addTo(tally: Tally, { window, rows }: { window: Window; rows: number }): void {
  tally.rows += rows;
  tally.seriesSec += seriesSecOf(window);
}

/**
 * Returns the key of a series in the cooldown. A platform that refuses an aggregate may still answer for the
 * raw values.
 */
function asideKey({ name }: HistoryStream, seriesId: number): string {
  return `${name} ${seriesId}`;
}

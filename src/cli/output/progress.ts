import type { Logger } from '../../log.ts';
import type { Progress, ProgressLine } from '../../sync/progress.ts';
import { drawLines } from './live-lines.ts';
import { describeRate, describeRest, type LineState, renderProgress } from './progress-line.ts';
import { formatNumber } from './table.ts';
import { columnsOf } from './terminal-width.ts';

/** Progress that must be closed, so that the terminal or the timer is released. */
export interface OpenProgress extends Progress {
  close(): void;
}

export interface ProgressOptions {
  readonly log: Logger;
  /** The terminal for bars. Undefined for log lines. */
  readonly terminal: NodeJS.WriteStream | undefined;
  readonly clock: () => number;
}

const LOG_EVERY_MS = 10_000;
const DRAW_EVERY_MS = 100;

/** Shows progress: bars with rate and remaining time on a terminal, a log line every 10 s elsewhere. */
export function openProgress(options: ProgressOptions): OpenProgress {
  return options.terminal === undefined
    ? logProgress(options)
    : drawProgress(options.terminal, options.clock);
}

function drawProgress(terminal: NodeJS.WriteStream, clock: () => number): OpenProgress {
  const lines: DrawnLine[] = [];
  const drawn = drawLines(terminal, () =>
    lines.map((line) => renderProgress(line.state(), columnsOf(terminal))),
  );
  const timer = setInterval(() => drawn.draw(), DRAW_EVERY_MS).unref();
  return {
    start(name, total, unit) {
      const startedMs = clock();
      const line = new DrawnLine({ name, total, unit }, () => (clock() - startedMs) / 1000);
      lines.push(line);
      return line;
    },
    close() {
      clearInterval(timer);
      drawn.end();
    },
  };
}

/**
 * A drawn line of progress. It ends at 100 % if the work ended well. Otherwise it keeps its place and tells
 * the reason.
 */
class DrawnLine implements ProgressLine {
  readonly #about: { readonly name: string; readonly unit: string };
  readonly #seconds: () => number;
  #done = 0;
  #total: number | undefined;
  #brought: LineState['brought'];
  #end: { readonly note: string; readonly seconds: number } | undefined;

  constructor(
    { name, unit, total }: { name: string; unit: string; total: number | undefined },
    seconds: () => number,
  ) {
    this.#about = { name, unit };
    this.#total = total;
    this.#seconds = seconds;
  }

  add(amount: number): void {
    this.#done += amount;
  }

  bring(count: number, unit: string): void {
    this.#brought = { count: (this.#brought?.count ?? 0) + count, unit };
  }

  setTotal(total: number): void {
    this.#total = total;
  }

  finish(note?: string): void {
    if (note === undefined) this.#total = this.#done;
    this.#end = { note: note ?? 'done', seconds: this.#seconds() };
  }

  state(): LineState {
    const { note, seconds = this.#seconds() } = this.#end ?? {};
    const { done, total, brought } = { done: this.#done, total: this.#total, brought: this.#brought };
    return { ...this.#about, done, total, seconds, note, brought };
  }
}

interface Counter {
  readonly name: string;
  readonly unit: string;
  readonly startedMs: number;
  done: number;
  total: number | undefined;
  brought: LineState['brought'];
}

function logProgress({ log, clock }: ProgressOptions): OpenProgress {
  const running = new Set<Counter>();
  const report = ({ startedMs, ...counter }: Counter) => {
    const { name, done, total, brought } = counter;
    const state: LineState = { ...counter, seconds: (clock() - startedMs) / 1000, note: undefined };
    const rate = (count: number) => Math.round(count / Math.max(state.seconds, 0.001));
    log.info(
      {
        stream: name,
        done: Math.round(done),
        total: total && Math.round(total),
        perSecond: rate(done),
        ...(brought && { [brought.unit]: brought.count, [`${brought.unit}PerSecond`]: rate(brought.count) }),
      },
      `${name}: ${describe(state)}`,
    );
  };
  const timer = setInterval(() => running.forEach(report), LOG_EVERY_MS).unref();
  return {
    start(name, total, unit) {
      const counter: Counter = { name, unit, total, done: 0, startedMs: clock(), brought: undefined };
      running.add(counter);
      return {
        add: (amount) => {
          counter.done += amount;
        },
        bring: (count, unit) => {
          counter.brought = { count: (counter.brought?.count ?? 0) + count, unit };
        },
        setTotal: (estimate) => {
          counter.total = estimate;
        },
        finish: () => {
          running.delete(counter);
        },
      };
    },
    close: () => clearInterval(timer),
  };
}

/** Describes progress as `40 of 200 windows (20%, 5,431 points/s, 14 min left)`. */
function describe(state: LineState): string {
  const { done, total, unit } = state;
  if (total === undefined) return `${formatNumber(done)} ${unit}`;
  const share = `${total > 0 ? Math.floor(Math.min(1, done / total) * 100) : 100}%`;
  const figures = [share, describeRate(state), describeRest(state)].filter((figure) => figure !== '');
  return `${formatNumber(done)} of ${formatNumber(total)} ${unit} (${figures.join(', ')})`;
}

import { MultiBar, type SingleBar } from 'cli-progress';
import type { Logger } from '../log.ts';
import type { Progress, ProgressLine } from '../sync/summary.ts';
import { formatNumber } from './table.ts';

/** Progress that must be closed, so that the terminal or the timer is given back. */
export interface OpenProgress extends Progress {
  close(): void;
}

export interface ProgressOptions {
  readonly log: Logger;
  /** Where the bars go; undefined for log lines. */
  readonly terminal: NodeJS.WriteStream | undefined;
  readonly clock: () => number;
}

const logEveryMs = 10_000;

/** Bars with rate and remaining time on a terminal, a log line every 10 s elsewhere. */
export function openProgress(options: ProgressOptions): OpenProgress {
  return options.terminal === undefined
    ? logProgress(options)
    : drawProgress(options.terminal, options.clock);
}

function drawProgress(terminal: NodeJS.WriteStream, clock: () => number): OpenProgress {
  const bars = new MultiBar({
    stream: terminal,
    format: '{name} {bar} {percentage}% | {value}/{total} {unit} | {rate}/s | {note}',
    hideCursor: true,
    clearOnComplete: false,
    // Signals are the business of main.ts.
    gracefulExit: false,
    emptyOnZero: true,
    formatValue: (value, _options, type) =>
      type === 'value' || type === 'total' ? formatNumber(Math.round(value)) : String(value),
  });
  let open = true;
  return {
    start(name, total, unit) {
      const startedMs = clock();
      const payload = { name: name.padEnd(18), unit, rate: '0', note: '' };
      const bar = bars.create(total ?? 0, 0, payload);
      return drawLine(bar, () => (clock() - startedMs) / 1000);
    },
    close() {
      if (open) bars.stop();
      open = false;
    },
  };
}

function drawLine(bar: SingleBar, secondsSoFar: () => number): ProgressLine {
  let done = 0;
  const show = (note: string) => {
    // An estimate that turned out too low grows along, so that no bar shows more than 100 %.
    if (done > bar.getTotal()) bar.setTotal(done);
    const perSecond = done / Math.max(secondsSoFar(), 0.001);
    const left = perSecond > 0 ? Math.round((bar.getTotal() - done) / perSecond) : 0;
    bar.update(done, { rate: formatNumber(perSecond), note: note || (left > 0 ? `${left} s left` : '') });
  };
  return {
    add(amount) {
      done += amount;
      show('');
    },
    setTotal: (total) => bar.setTotal(Math.max(total, done)),
    finish(note = 'done') {
      bar.setTotal(done);
      show(note);
      bar.stop();
    },
  };
}

interface Counter {
  readonly name: string;
  readonly unit: string;
  readonly startedMs: number;
  done: number;
  total: number | undefined;
}

function logProgress({ log, clock }: ProgressOptions): OpenProgress {
  const running = new Set<Counter>();
  const report = ({ name, unit, done, total, startedMs }: Counter) => {
    const perSecond = done / Math.max((clock() - startedMs) / 1000, 0.001);
    log.info(
      {
        stream: name,
        done: Math.round(done),
        total: total && Math.round(total),
        perSecond: Math.round(perSecond),
      },
      `${name}: ${describe(done, total)} ${unit}`,
    );
  };
  const timer = setInterval(() => running.forEach(report), logEveryMs).unref();
  return {
    start(name, total, unit) {
      const counter: Counter = { name, unit, total, done: 0, startedMs: clock() };
      running.add(counter);
      return {
        add: (amount) => {
          counter.done += amount;
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

function describe(done: number, total: number | undefined): string {
  return total === undefined ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
}

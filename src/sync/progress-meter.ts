import type { Progress, ProgressLine } from './progress.ts';

/** How far a run is, as its row in the ledger tells. */
export interface RunProgress {
  /** Work that is done and planned, in `unit` (`series-hours`). `planned` is an estimate that may change. */
  readonly done: number;
  readonly planned: number;
  readonly unit: string;
  /** Parts of the work that ended: windows, or pieces. */
  readonly parts: number;
  readonly points: number;
  readonly elapsedSec: number;
}

/** Tells what follows from the progress of a run. */
export interface ProgressFigures {
  /** From 0 to 1. */
  readonly share: number;
  readonly pointsPerSec: number;
  /** Undefined until a part of the work is done. */
  readonly remainingSec: number | undefined;
}

export function figuresOf({ done, planned, points, elapsedSec }: RunProgress): ProgressFigures {
  const rest = Math.max(0, planned - done);
  return {
    share: planned > 0 ? Math.min(1, done / planned) : 1,
    pointsPerSec: points / Math.max(elapsedSec, 0.001),
    remainingSec: done > 0 ? (rest * elapsedSec) / done : undefined,
  };
}

/** Shows the progress of a run as before, and adds up the lines of the run for the ledger. */
export class ProgressMeter implements Progress {
  readonly #inner: Progress;
  readonly #clock: () => number;
  readonly #startedMs: number;
  readonly #sum = { done: 0, begun: 0, parts: 0, points: 0 };
  #planned: number | undefined;
  #unit = '';

  constructor(inner: Progress, clockMs: () => number) {
    this.#inner = inner;
    this.#clock = clockMs;
    this.#startedMs = clockMs();
  }

  plan(rest: number, done: number = this.#sum.done): void {
    this.#planned = done + rest;
  }

  start(name: string, total: number | undefined, unit: string): ProgressLine {
    const line = this.#inner.start(name, total, unit);
    const sum = this.#sum;
    this.#unit = unit;
    let own = total ?? 0;
    sum.begun += own;
    return {
      add(amount) {
        sum.done += amount;
        sum.parts += 1;
        line.add(amount);
      },
      bring(count, brought) {
        sum.points += count;
        line.bring(count, brought);
      },
      setTotal(next) {
        sum.begun += next - own;
        own = next;
        line.setTotal(next);
      },
      finish: (note) => line.finish(note),
    };
  }

  /** Returns how far the run is. Returns undefined before its work has begun. */
  read(): RunProgress | undefined {
    if (this.#unit === '') return undefined;
    const { done, begun, parts, points } = this.#sum;
    const planned = Math.max(done, this.#planned ?? begun);
    const elapsedSec = (this.#clock() - this.#startedMs) / 1000;
    return { done, planned, unit: this.#unit, parts, points, elapsedSec };
  }
}

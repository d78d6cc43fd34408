import type { AlarmWindow } from '../../extract/read-alarm-history.ts';
import type { RangeSet } from '../../series/range.ts';

/** Records that one window aims at. */
const AIMED_RECORDS = 1_000;
/** Width of the first window, while the density of alarms is not known. */
const FIRST_SPAN_SEC = 6 * 3_600;
/** A window is at most this many times as wide as the window before it, because the density may jump. */
const MAX_GROWTH = 4;

/**
 * Cuts windows from the ranges to read, oldest first. A typical window holds as many alarms as are read well
 * at once.
 */
export class AlarmWindows {
  readonly #rest: { fromSec: number; toSec: number }[];
  /** Halves of windows that could not be read. They come after all other windows, so that they delay none. */
  readonly #halves: AlarmWindow[] = [];
  #spanSec = FIRST_SPAN_SEC;

  constructor(ranges: RangeSet) {
    this.#rest = wholeSeconds(ranges);
  }

  /** Seconds that are left to read. */
  get restSec(): number {
    return [...this.#rest, ...this.#halves].reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);
  }

  take(): AlarmWindow | undefined {
    const [first] = this.#rest;
    if (first === undefined) return this.#halves.shift();
    const { fromSec } = first;
    const toSec = Math.min(first.toSec, fromSec + this.#spanSec);
    if (toSec === first.toSec) this.#rest.shift();
    else first.fromSec = toSec;
    return { fromSec, toSec };
  }

  /** Notes how many records a window held, so that the next windows get the right width. */
  note({ fromSec, toSec }: AlarmWindow, records: number): void {
    const widthSec = toSec - fromSec;
    const fittingSec = Math.max(1, Math.floor((widthSec * AIMED_RECORDS) / Math.max(1, records)));
    if (records > AIMED_RECORDS) this.#spanSec = fittingSec;
    // A narrow window proves nothing about wide ones, except that it was not too wide.
    else if (widthSec >= this.#spanSec) this.#spanSec = Math.min(fittingSec, this.#spanSec * MAX_GROWTH);
  }

  /**
   * Puts the two halves of a window back to be read later. Returns false if the window is only one second
   * wide.
   */
  divide({ fromSec, toSec }: AlarmWindow): boolean {
    const middle = Math.floor((fromSec + toSec) / 2);
    if (middle === fromSec) return false;
    this.#halves.push({ fromSec, toSec: middle }, { fromSec: middle, toSec });
    this.#spanSec = Math.max(1, Math.min(this.#spanSec, middle - fromSec));
    return true;
  }
}

function wholeSeconds(ranges: RangeSet): { fromSec: number; toSec: number }[] {
  const cells: { fromSec: number; toSec: number }[] = [];
  for (const { from, to } of ranges) {
    const cell = { fromSec: Math.floor(from / 1e6), toSec: Math.ceil(to / 1e6) };
    const last = cells.at(-1);
    if (last !== undefined && cell.fromSec <= last.toSec) last.toSec = Math.max(last.toSec, cell.toSec);
    else cells.push(cell);
  }
  return cells;
}

import type { PackedCells } from './column-signal.ts';
import { GrowingNumbers } from './growing-numbers.ts';

const decimal = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;
const notFinite = /^\s*([+-]?)(nan|inf|infinity)\s*$/i;

/** The rows of a file in the order of their times. */
export interface TimeOrder {
  /** Ascending. */
  readonly times: Float64Array;
  /** For each place the row that stands there; undefined where the file is in order. */
  readonly rows: Uint32Array | undefined;
}

/** A column of a CSV file while it is read: of numbers as long as all cells are numbers or empty, else of texts. */
export class CsvColumn {
  readonly #cells = new GrowingNumbers();
  readonly #emptyRows: number[] = [];
  #texts: Map<string, number> | undefined;
  #mustReread = false;

  constructor(
    readonly name: string,
    isText: boolean,
  ) {
    if (isText) this.#texts = new Map();
  }

  get isText(): boolean {
    return this.#texts !== undefined || this.#mustReread;
  }

  /** Whether a text came after numbers, so that the file must be read again with this as a column of texts. */
  get mustReread(): boolean {
    return this.#mustReread;
  }

  add(cell: string): void {
    if (cell === '') this.#emptyRows.push(this.#cells.length);
    this.#cells.push(cell === '' ? 0 : this.#packed(cell));
  }

  #packed(cell: string): number {
    if (!this.#texts) {
      const number = numberOf(cell);
      if (number !== undefined) return number;
      if (this.#cells.length > this.#emptyRows.length) {
        this.#mustReread = true;
        return 0;
      }
      this.#texts = new Map();
    }
    const known = this.#texts.get(cell);
    if (known !== undefined) return known;
    const place = this.#texts.size;
    this.#texts.set(cell, place);
    return place;
  }

  /** The cells that are not empty, in the order of their times. */
  pack({ times, rows }: TimeOrder): PackedCells {
    const texts = this.#texts && [...this.#texts.keys()];
    const cells = this.#cells.pack();
    if (!rows && this.#emptyRows.length === 0) return { times, numbers: cells, texts };
    const isEmpty = new Uint8Array(cells.length);
    for (const row of this.#emptyRows) isEmpty[row] = 1;
    const count = cells.length - this.#emptyRows.length;
    const packed = { times: new Float64Array(count), numbers: new Float64Array(count), texts };
    let filled = 0;
    for (let place = 0; place < cells.length; place += 1) {
      const row = rows?.[place] ?? place;
      if (isEmpty[row] === 1) continue;
      packed.times[filled] = times[place] ?? 0;
      packed.numbers[filled] = cells[row] ?? 0;
      filled += 1;
    }
    return packed;
  }
}

/** The number that a cell is, NaN and infinities among them; undefined for a text. */
function numberOf(cell: string): number | undefined {
  if (decimal.test(cell)) return Number(cell);
  const [, sign, word] = notFinite.exec(cell) ?? [];
  if (word === undefined) return undefined;
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Sorts rows by time; rows of equal times keep the order of the file, since sorting is stable. */
export function orderByTime(fileTimes: Float64Array): TimeOrder {
  if (fileTimes.every((time, row) => row === 0 || (fileTimes[row - 1] ?? 0) <= time))
    return { times: fileTimes, rows: undefined };
  const rows = Uint32Array.from(fileTimes, (_time, row) => row);
  rows.sort((one, other) => (fileTimes[one] ?? 0) - (fileTimes[other] ?? 0));
  return { times: Float64Array.from(rows, (row) => fileTimes[row] ?? 0), rows };
}

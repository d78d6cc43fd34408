import type { PackedCells } from './column-signal.ts';
import { GrowingNumbers } from './growing-numbers.ts';

const DECIMAL = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;
const DECIMAL_COMMA = /^\s*[+-]?\d+,\d+(e[+-]?\d+)?\s*$/i;
const NOT_FINITE = /^\s*([+-]?)(inf|infinity)\s*$/i;
const MISSING = /^\s*(|-|na|n\/a|nan|null)\s*$/i;

/** The rows of a file in the order of their times. */
export interface TimeOrder {
  /** The times, ascending. */
  readonly times: Float64Array;
  /** The row of the file for each place. It is undefined if the file is in order. */
  readonly rows: Uint32Array | undefined;
}

/**
 * A column of a CSV file while it is read. Its values are numbers if all cells are numbers or empty, else
 * texts.
 */
export class CsvColumn {
  readonly #cells = new GrowingNumbers();
  readonly #emptyRows: number[] = [];
  #texts: Map<string, number> | undefined;
  #mustReread = false;
  #numbers = 0;
  #hasFraction = false;

  constructor(
    readonly name: string,
    isText: boolean,
    /** Whether `12,5` is a number, as in files with semicolons or tabs. */
    readonly takesCommas = false,
  ) {
    if (isText) this.#texts = new Map();
  }

  get isText(): boolean {
    return this.#texts !== undefined || this.#mustReread;
  }

  /** True if a text came after numbers. The file must then be read again, with a column of texts. */
  get mustReread(): boolean {
    return this.#mustReread;
  }

  /** The number of cells that are blank or say that a value is missing. */
  get missing(): number {
    return this.#emptyRows.length;
  }

  /** The number of cells that are numbers. Other cells are texts, unless a value is missing. */
  get numbers(): number {
    return this.#numbers;
  }

  get length(): number {
    return this.#cells.length;
  }

  /** The first cell that is a text. */
  firstText: string | undefined;

  /** True if all numbers are integers, and one of them is beyond 2^53. */
  get isLong(): boolean {
    return this.hasLongs && !this.#hasFraction;
  }

  hasLongs = false;

  add(cell: string): void {
    const isMissing = MISSING.test(cell);
    if (isMissing) this.#emptyRows.push(this.#cells.length);
    else this.#count(cell);
    this.#cells.push(isMissing ? 0 : this.#packed(cell));
  }

  /** Returns the value of the text of a number. It is a bigint if a double would round the integer. */
  valueOf(text: string): number | bigint {
    const number = numberOf(text, this.takesCommas) ?? 0;
    const isRounded = /^\s*[+-]?\d+\s*$/.test(text) && !Number.isSafeInteger(number);
    return isRounded ? BigInt(text.trim().replace(/^\+/, '')) : number;
  }

  #count(cell: string): void {
    const number = numberOf(cell, this.takesCommas);
    if (number === undefined) {
      this.firstText ??= cell;
      return;
    }
    this.#numbers += 1;
    if (!/^\s*[+-]?\d+\s*$/.test(cell)) this.#hasFraction = true;
    else if (!Number.isSafeInteger(number)) this.hasLongs = true;
  }

  #packed(cell: string): number {
    if (!this.#texts) {
      const number = numberOf(cell, this.takesCommas);
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

  /** Returns the cells that are not empty, in the order of their times. */
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

/** Returns the number that a cell holds, also an infinity. Returns undefined if the cell is a text. */
function numberOf(cell: string, takesCommas: boolean): number | undefined {
  if (DECIMAL.test(cell)) return Number(cell);
  if (takesCommas && DECIMAL_COMMA.test(cell)) return Number(cell.replace(',', '.'));
  const [, sign, word] = NOT_FINITE.exec(cell) ?? [];
  if (word === undefined) return undefined;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Sorts rows by time. Rows with equal times keep the order of the file. */
export function orderByTime(fileTimes: Float64Array): TimeOrder {
  if (fileTimes.every((time, row) => row === 0 || (fileTimes[row - 1] ?? 0) <= time))
    return { times: fileTimes, rows: undefined };
  const rows = Uint32Array.from(fileTimes, (_time, row) => row);
  rows.sort((one, other) => (fileTimes[one] ?? 0) - (fileTimes[other] ?? 0));
  return { times: Float64Array.from(rows, (row) => fileTimes[row] ?? 0), rows };
}

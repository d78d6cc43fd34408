import { midnightSecOf } from '../../series/instant.ts';
import { parseNumber } from '../json/json.ts';
import type { PackedColumn } from './history-rows.ts';

const [quote, comma, openBracket, closeBracket] = [0x22, 0x2c, 0x5b, 0x5d] as const;
const [minus, plus, dot, zero] = [0x2d, 0x2b, 0x2e, 0x30] as const;
const [letterE, letterT, letterZ, colon] = [0x65, 0x54, 0x5a, 0x3a] as const;
/** The bit that a small letter has and its capital letter lacks. */
const LOWER = 0x20;
const nullBytes = Buffer.from('null');

/**
 * The cells of a column. The scan adds each number to this list at once, where it takes no object of its own.
 */
type Cells = (number | bigint | null)[];

/** A double holds any number of this many decimal digits exactly. */
const EXACT_DIGITS = 15;
/**
 * Powers of ten that a double holds exactly. A product or quotient with an exact number is rounded only once.
 */
const powersOfTen = Array.from({ length: 23 }, (_, k) => 10 ** k);
const MICROS_PER_SEC = 1e6;

/**
 * Reads arrays of rows, like `[["2024-05-01T08:00:00Z",1.5],…]`, from the bytes of a reply into columns. The
 * scanner knows what most replies hold: numbers (with every digit of whole ones), nulls, and times in UTC. An
 * array that holds anything else is left to the parser of JSON.
 */
export class RowScanner {
  readonly #bytes: Buffer;
  #start = 0;
  #at = 0;
  #columns: PackedColumn[] = [];
  #rows = 0;
  /**
   * The day of the time read before, as a number like 20240501. Neighbouring rows mostly have the same day.
   */
  #day = 0;
  /** The midnight of that day, in seconds from 1970. */
  #midnightSec = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Where the array begins that was read last. */
  get start(): number {
    return this.#start;
  }

  /** The place behind the array that was read last. */
  get end(): number {
    return this.#at;
  }

  /** Begins with the array that is the value of a key. Returns false if the value is no array. */
  begin(behindKey: number): boolean {
    this.#at = behindKey;
    this.#columns = [];
    this.#rows = 0;
    if (!this.#take(colon)) return false;
    this.#start = this.#at;
    return this.#take(openBracket);
  }

  /** Reads up to `atMost` further rows. Returns `unusual` if the array holds anything else, or is broken. */
  scanRows(atMost: number): 'more' | 'end' | 'unusual' {
    if (this.#rows === 0 && this.#take(closeBracket)) return 'end';
    for (const last = this.#rows + atMost; this.#rows < last; ) {
      if (!this.#scanRow(this.#rows, this.#columns)) return 'unusual';
      this.#rows += 1;
      if (!this.#take(comma)) return this.#take(closeBracket) ? 'end' : 'unusual';
    }
    return 'more';
  }

  /** The columns that were read, once all rows were read. */
  get columns(): readonly PackedColumn[] {
    return this.#columns;
  }

  #scanRow(k: number, columns: PackedColumn[]): boolean {
    if (!this.#take(openBracket)) return false;
    for (let at = 0; ; at += 1) {
      if (k === 0) columns.push({ isTime: this.#peek() === quote, cells: [] });
      const column = columns[at];
      if (column === undefined || !this.#scanCell(column)) return false;
      if (this.#take(comma)) continue;
      return at === columns.length - 1 && this.#take(closeBracket);
    }
  }

  #scanCell(column: PackedColumn): boolean {
    const cells = column.cells as Cells;
    return column.isTime ? this.#scanTime(cells) : this.#scanNumber(cells) || this.#scanNull(cells);
  }

  #scanNull(cells: Cells): boolean {
    const end = this.#at + nullBytes.length;
    if (this.#bytes.compare(nullBytes, 0, nullBytes.length, this.#at, end) !== 0) return false;
    this.#at = end;
    cells.push(null);
    return true;
  }

  /** Reads a time `"YYYY-MM-DDThh:mm:ss[.fraction]Z"`. The fraction is cut to microseconds, as everywhere. */
  #scanTime(cells: Cells): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    if (bytes[start] !== quote || bytes[start + 11] !== letterT) return false;
    if (bytes[start + 14] !== colon || bytes[start + 17] !== colon) return false;
    const midnightSec = this.#midnightOf(start + 1);
    const hour = this.#digits(start + 12);
    const minute = this.#digits(start + 15);
    const second = this.#digits(start + 18);
    if (!(hour < 24 && minute < 60 && second < 60) || Number.isNaN(midnightSec)) return false;
    this.#at = start + 20;
    const micros = bytes[this.#at] === dot ? this.#scanFraction() : 0;
    if (bytes[this.#at] !== letterZ || bytes[this.#at + 1] !== quote) return false;
    this.#at += 2;
    cells.push((midnightSec + hour * 3600 + minute * 60 + second) * MICROS_PER_SEC + micros);
    return true;
  }

  /** Returns the seconds from 1970 to a day `YYYY-MM-DD`. Returns NaN if the bytes are no such day. */
  #midnightOf(start: number): number {
    if (this.#bytes[start + 4] !== minus || this.#bytes[start + 7] !== minus) return Number.NaN;
    const year = this.#digits(start) * 100 + this.#digits(start + 2);
    const month = this.#digits(start + 5);
    const day = this.#digits(start + 8);
    const number = year * 10_000 + month * 100 + day;
    if (number === this.#day) return this.#midnightSec;
    const midnightSec = midnightSecOf(year, month, day);
    if (!Number.isNaN(midnightSec)) {
      this.#day = number;
      this.#midnightSec = midnightSec;
    }
    return midnightSec;
  }

  /** Returns the number that two digits make. Returns NaN if one of them is no digit. */
  #digits(at: number): number {
    const tens = this.#digit(at);
    const ones = this.#digit(at + 1);
    return tens < 0 || ones < 0 ? Number.NaN : tens * 10 + ones;
  }

  /** Returns the value of a digit. Returns -1 if the byte is no digit. */
  #digit(at: number): number {
    const digit = (this.#bytes[at] ?? 0) - zero;
    return digit >= 0 && digit <= 9 ? digit : -1;
  }

  #scanFraction(): number {
    let micros = 0;
    let places = 0;
    for (let digit = this.#digit(++this.#at); digit >= 0; digit = this.#digit(++this.#at)) {
      if (places < 6) micros = micros * 10 + digit;
      places += 1;
    }
    return places < 6 ? micros * (powersOfTen[6 - places] ?? 1) : micros;
  }

  /** Reads a number of JSON. A number with a needless zero in front is not JSON. */
  #scanNumber(cells: Cells): boolean {
    const start = this.#at;
    const isNegative = this.#bytes[start] === minus;
    if (isNegative) this.#at += 1;
    const first = this.#at;
    let mantissa = this.#scanDigits(0);
    let digits = this.#at - first;
    if (digits === 0 || (digits > 1 && this.#bytes[first] === zero)) return false;
    let exponent = 0;
    if (this.#bytes[this.#at] === dot) {
      const from = ++this.#at;
      mantissa = this.#scanDigits(mantissa);
      exponent = from - this.#at;
      if (exponent === 0) return false;
      digits -= exponent;
    }
    if (((this.#bytes[this.#at] ?? 0) | LOWER) === letterE) {
      const power = this.#scanPower();
      if (power === undefined) return false;
      exponent += power;
    }
    const scale = powersOfTen[Math.abs(exponent)];
    if (digits > EXACT_DIGITS || scale === undefined) {
      const number = parseNumber(this.#bytes.toString('latin1', start, this.#at));
      if (typeof number === 'string') return false;
      cells.push(number);
    } else {
      const value = exponent < 0 ? mantissa / scale : mantissa * scale;
      cells.push(isNegative ? -value : value);
    }
    return true;
  }

  /** Reads further digits of a number, and returns the number with these digits. */
  #scanDigits(before: number): number {
    const bytes = this.#bytes;
    let number = before;
    let at = this.#at;
    for (let digit = (bytes[at] ?? 0) - zero; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - zero) {
      number = number * 10 + digit;
      at += 1;
    }
    this.#at = at;
    return number;
  }

  #scanPower(): number | undefined {
    const sign = this.#bytes[++this.#at];
    if (sign === minus || sign === plus) this.#at += 1;
    const from = this.#at;
    const power = this.#scanDigits(0);
    if (this.#at === from) return undefined;
    return sign === minus ? -power : power;
  }

  #take(code: number): boolean {
    if (this.#peek() !== code) return false;
    this.#at += 1;
    this.#skipSpace();
    return true;
  }

  /** Skips space, and returns the next character without taking it. */
  #peek(): number | undefined {
    this.#skipSpace();
    return this.#bytes[this.#at];
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#bytes[this.#at];
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }
}

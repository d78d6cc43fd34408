import { midnightSecOf } from '../../series/instant.ts';
import { parseNumber } from '../json/json.ts';
import { ByteReader } from './byte-reader.ts';
import type { GrowingColumn } from './growing-column.ts';

const [quote, backslash, minus, plus, dot, zero] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30] as const;
const [letterE, letterT, letterZ, colon] = [0x65, 0x54, 0x5a, 0x3a] as const;
/** The bit that a small letter has and its capital letter lacks. */
const LOWER = 0x20;
const words = [
  { bytes: Buffer.from('null'), value: null },
  { bytes: Buffer.from('true'), value: true },
  { bytes: Buffer.from('false'), value: false },
];
/** The length of `"2024-05-01T08:00:`, which is the same for all times of a minute. */
const MINUTE_BYTES = 18;

/** A double holds any number of this many decimal digits exactly. */
const EXACT_DIGITS = 15;
/** Any integer of this many digits has 64 bits at most. */
const HALVED_DIGITS = 19;
const BILLION = 1e9;
const TWO_TO_16 = 2 ** 16;
const TWO_TO_32 = 2 ** 32;
/**
 * Powers of ten that a double holds exactly. A product or quotient with an exact number is rounded only once.
 */
const powersOfTen = Array.from({ length: 23 }, (_, k) => 10 ** k);
const MICROS_PER_SEC = 1e6;

/**
 * Reads single values from the bytes of a reply: numbers with every digit, times in UTC, texts, and the words
 * of JSON. Returns false for anything else, which is left to the parser of JSON.
 */
export class CellScanner extends ByteReader {
  readonly #view: DataView;
  readonly #whole = new DataView(new ArrayBuffer(8));
  /** Where a time stands that was read before. Neighbouring rows mostly have the same minute, or day. */
  #minuteAt = -1;
  /** The begin of that minute, in seconds from 1970. */
  #minuteSec = 0;
  /** The day of that time, as a number like 20240501, and its midnight. */
  #day = 0;
  #midnightSec = 0;

  constructor(bytes: Buffer) {
    super(bytes);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Reads the next value of a column. */
  protected scanCell(column: GrowingColumn): boolean {
    const first = this.peek();
    if (column.isTime) return this.scanTime(column);
    if (first === quote) return this.#scanText(column);
    return this.#scanNumber(column) || this.#scanWord(column);
  }

  /** Reads a time `"YYYY-MM-DDThh:mm:ss[.fraction]Z"`. The fraction is cut to microseconds, as everywhere. */
  protected scanTime(column: GrowingColumn): boolean {
    const { bytes, at: start } = this;
    const minuteSec = this.#isInKnownMinute(start) ? this.#minuteSec : this.#minuteOf(start);
    const second = this.twoDigits(start + MINUTE_BYTES);
    if (!(second < 60) || Number.isNaN(minuteSec)) return false;
    this.at = start + MINUTE_BYTES + 2;
    const micros = bytes[this.at] === dot ? this.#scanFraction() : 0;
    if (bytes[this.at] !== letterZ || bytes[this.at + 1] !== quote) return false;
    this.at += 2;
    column.addNumber((minuteSec + second) * MICROS_PER_SEC + micros);
    return true;
  }

  #isInKnownMinute(start: number): boolean {
    const known = this.#minuteAt;
    if (known < 0 || start + MINUTE_BYTES > this.bytes.length) return false;
    const view = this.#view;
    return (
      view.getInt32(start + 12) === view.getInt32(known + 12) &&
      view.getInt32(start + 8) === view.getInt32(known + 8) &&
      view.getInt32(start + 4) === view.getInt32(known + 4) &&
      view.getInt32(start) === view.getInt32(known) &&
      view.getInt16(start + 16) === view.getInt16(known + 16)
    );
  }

  /** Returns the seconds from 1970 to the minute of a time. Returns NaN if the bytes are no such time. */
  #minuteOf(start: number): number {
    const { bytes } = this;
    if (bytes[start] !== quote || bytes[start + 11] !== letterT) return Number.NaN;
    if (bytes[start + 14] !== colon || bytes[start + 17] !== colon) return Number.NaN;
    const hour = this.twoDigits(start + 12);
    const minute = this.twoDigits(start + 15);
    const minuteSec = this.#midnightOf(start + 1) + hour * 3600 + minute * 60;
    if (!(hour < 24 && minute < 60) || Number.isNaN(minuteSec)) return Number.NaN;
    this.#minuteAt = start;
    this.#minuteSec = minuteSec;
    return minuteSec;
  }

  /** Returns the seconds from 1970 to a day `YYYY-MM-DD`. Returns NaN if the bytes are no such day. */
  #midnightOf(start: number): number {
    if (this.bytes[start + 4] !== minus || this.bytes[start + 7] !== minus) return Number.NaN;
    const year = this.twoDigits(start) * 100 + this.twoDigits(start + 2);
    const month = this.twoDigits(start + 5);
    const day = this.twoDigits(start + 8);
    const number = year * 10_000 + month * 100 + day;
    if (number === this.#day) return this.#midnightSec;
    const midnightSec = midnightSecOf(year, month, day);
    if (Number.isNaN(midnightSec)) return Number.NaN;
    this.#day = number;
    this.#midnightSec = midnightSec;
    return midnightSec;
  }

  #scanFraction(): number {
    let micros = 0;
    let places = 0;
    for (let digit = this.digit(++this.at); digit >= 0; digit = this.digit(++this.at)) {
      if (places < 6) micros = micros * 10 + digit;
      places += 1;
    }
    return places < 6 ? micros * (powersOfTen[6 - places] ?? 1) : micros;
  }

  /** Reads a text. Its escapes are read later, by the parser of JSON. */
  #scanText(column: GrowingColumn): boolean {
    const { bytes, at: start } = this;
    let end = start + 1;
    for (; bytes[end] !== quote; end += bytes[end] === backslash ? 2 : 1)
      if (end >= bytes.length) return false;
    this.at = end + 1;
    column.addText(bytes, start, this.at);
    return true;
  }

  #scanWord(column: GrowingColumn): boolean {
    const word = words.find(({ bytes }) => this.takeWord(bytes));
    if (word !== undefined) column.add(word.value);
    return word !== undefined;
  }

  /** Reads a number of JSON. A number with a needless zero in front is not JSON. */
  #scanNumber(column: GrowingColumn): boolean {
    const start = this.at;
    const isNegative = this.bytes[start] === minus;
    if (isNegative) this.at += 1;
    const first = this.at;
    let mantissa = this.#scanDigits(0);
    let digits = this.at - first;
    if (digits === 0 || (digits > 1 && this.bytes[first] === zero)) {
      this.at = start;
      return false;
    }
    let exponent = 0;
    if (this.bytes[this.at] === dot) {
      const from = ++this.at;
      mantissa = this.#scanDigits(mantissa);
      exponent = from - this.at;
      if (exponent === 0) return false;
      digits -= exponent;
    }
    if (((this.bytes[this.at] ?? 0) | LOWER) === letterE) {
      const power = this.#scanPower();
      if (power === undefined) return false;
      exponent += power;
    }
    const scale = powersOfTen[Math.abs(exponent)];
    if (digits > EXACT_DIGITS || scale === undefined) return this.#addLong(column, start);
    const value = exponent < 0 ? mantissa / scale : mantissa * scale;
    column.addNumber(isNegative ? -value : value);
    return true;
  }

  /** Adds a number that has more digits, or a higher exponent, than arithmetic on doubles keeps. */
  #addLong(column: GrowingColumn, start: number): boolean {
    const first = this.bytes[start] === minus ? start + 1 : start;
    const number =
      this.#isWhole(first) && this.at - first <= HALVED_DIGITS
        ? this.#wholeOf(first, first > start)
        : parseNumber(this.bytes.toString('latin1', start, this.at));
    if (typeof number === 'string') return false;
    if (typeof number === 'bigint') column.add(number);
    else column.addNumber(number);
    return true;
  }

  /** Tells whether all bytes up to here are digits. */
  #isWhole(from: number): boolean {
    for (let at = from; at < this.at; at += 1) if (this.digit(at) < 0) return false;
    return true;
  }

  /**
   * Returns the integer that the digits up to here make, as `parseNumber` does. To make a bigint of a text is
   * slow, and so is arithmetic on bigints. So the digits become two numbers, and these become the 64 bits.
   */
  #wholeOf(from: number, isNegative: boolean): number | bigint {
    let billions = 0;
    for (let at = from; at < this.at - 9; at += 1) billions = billions * 10 + this.digit(at);
    let rest = 0;
    for (let at = this.at - 9; at < this.at; at += 1) rest = rest * 10 + this.digit(at);
    const near = billions * BILLION + rest;
    if (near <= Number.MAX_SAFE_INTEGER) return isNegative ? -near : near;
    const high = Math.floor(billions / TWO_TO_16) * BILLION;
    const low = (high % TWO_TO_16) * TWO_TO_16 + (billions % TWO_TO_16) * BILLION + rest;
    this.#whole.setUint32(0, Math.floor(high / TWO_TO_16) + Math.floor(low / TWO_TO_32));
    this.#whole.setUint32(4, low % TWO_TO_32);
    const whole = this.#whole.getBigUint64(0);
    return isNegative ? -whole : whole;
  }

  /** Reads further digits of a number, and returns the number with these digits. */
  #scanDigits(before: number): number {
    const { bytes } = this;
    let number = before;
    let at = this.at;
    for (let digit = (bytes[at] ?? 0) - zero; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - zero) {
      number = number * 10 + digit;
      at += 1;
    }
    this.at = at;
    return number;
  }

  #scanPower(): number | undefined {
    const sign = this.bytes[++this.at];
    if (sign === minus || sign === plus) this.at += 1;
    const from = this.at;
    const power = this.#scanDigits(0);
    if (this.at === from) return undefined;
    return sign === minus ? -power : power;
  }
}

const dayMs = 86_400_000;
/** Of `hh:mm:ss.SSSZ`. */
const timeOfDayLength = 13;
/** A decimal of so many digits is the only one of its double, so its digits need no search. */
const maxExact = 1e15;
/** Up to here the lower half of an integer, in units of one, is an exact number. */
const maxHalved = 2n ** 56n;
const maxInt32 = 2_147_483_647;
const longText = 48;
const [zero, minus, point, colon, quote, bracket, comma, letterZ] = [48, 45, 46, 58, 34, 91, 44, 90] as const;

/**
 * JSON text that grows, kept in bytes as they are sent. A reply has up to millions of rows: as strings, joining,
 * encoding and collecting them costs more than all the rest of the work.
 */
export class JsonBytes {
  #bytes: Buffer;
  #length = 0;
  #day = Number.NaN;
  /** `"YYYY-MM-DDT` of the day written last. */
  #dayText = new Uint8Array(0);
  readonly #halves = new DataView(new ArrayBuffer(8));

  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(expectedBytes, 256));
  }

  /** The text so far; nothing may be written afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Begins a row: `[`, after a comma unless it is the first. */
  beginRow(isFirst: boolean): void {
    this.#reserve(2);
    if (!isFirst) this.#bytes[this.#length++] = comma;
    this.#bytes[this.#length++] = bracket;
  }

  /** JSON text made elsewhere. */
  text(text: string): void {
    const { length } = text;
    this.#reserve(length * 3);
    if (length > longText) {
      this.#length += this.#bytes.write(text, this.#length);
      return;
    }
    const bytes = this.#bytes;
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 127) {
        // What has been written of the text is written over.
        this.#length += bytes.write(text, this.#length);
        return;
      }
      bytes[this.#length + index] = unit;
    }
    this.#length += length;
  }

  /** A finite number, with the digits that JSON.stringify gives it. */
  number(value: number): void {
    const thousandths = Math.round(value * 1000);
    if (thousandths / 1000 === value && Math.abs(thousandths) < maxExact) {
      this.#decimal(thousandths, 1000, 3);
      return;
    }
    const billionths = Math.round(value * 1e9);
    const size = Math.abs(billionths);
    // Below a millionth JavaScript writes exponents.
    if (billionths / 1e9 === value && size < maxExact && size >= 1000) this.#decimal(billionths, 1e9, 9);
    else this.text(`${value}`);
  }

  /** An integer with all its digits, which beyond 2^53 a number does not hold. */
  integer(value: bigint): void {
    if (value < 0n || value >= maxHalved) {
      this.text(`${value}`);
      return;
    }
    // Arithmetic on bigints is slow: the two halves are numbers, and 2^32 is 4 * 10^9 + 294,967,296.
    this.#halves.setBigUint64(0, value);
    const high = this.#halves.getUint32(0);
    const low = high * 294_967_296 + this.#halves.getUint32(4);
    const carried = Math.floor(low / 1e9);
    const billions = high * 4 + carried;
    this.#reserve(20);
    if (billions === 0) {
      this.#length = writeDigits(this.#bytes, this.#length, low);
      return;
    }
    const at = writeDigits(this.#bytes, this.#length, billions);
    this.#length = writePadded(this.#bytes, at, { number: low - carried * 1e9, digits: 9 });
  }

  /** A whole millisecond as `"YYYY-MM-DDThh:mm:ssZ"`, or with `.SSS` if it is no whole second; the date is made once per day. */
  utc(epochMs: number): void {
    const day = Math.floor(epochMs / dayMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = Buffer.from(`"${new Date(day * dayMs).toISOString().slice(0, -timeOfDayLength)}`);
    }
    const dayText = this.#dayText;
    this.#reserve(dayText.length + timeOfDayLength + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < dayText.length; index += 1) bytes[at++] = dayText[index] ?? 0;
    const ofDayMs = (epochMs - day * dayMs) | 0;
    const second = (ofDayMs / 1000) | 0;
    const minute = (second / 60) | 0;
    const hour = (minute / 60) | 0;
    at = writeTwoDigits(bytes, at, hour);
    bytes[at++] = colon;
    at = writeTwoDigits(bytes, at, minute - hour * 60);
    bytes[at++] = colon;
    at = writeTwoDigits(bytes, at, second - minute * 60);
    if (ofDayMs !== second * 1000) {
      bytes[at++] = point;
      at = writePadded(bytes, at, { number: ofDayMs - second * 1000, digits: 3 });
    }
    bytes[at++] = letterZ;
    bytes[at++] = quote;
    this.#length = at;
  }

  /** `units / scale` without zeros at its end; `scale` has `digits` zeros. */
  #decimal(units: number, scale: number, digits: number): void {
    this.#reserve(32);
    const bytes = this.#bytes;
    if (units < 0) bytes[this.#length++] = minus;
    const size = Math.abs(units);
    const whole = Math.floor(size / scale);
    this.#length = writeDigits(bytes, this.#length, whole);
    let rest = size - whole * scale;
    if (rest === 0) return;
    let last = digits;
    for (; rest % 10 === 0; rest /= 10) last -= 1;
    bytes[this.#length++] = point;
    this.#length = writePadded(bytes, this.#length, { number: rest, digits: last });
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function writeTwoDigits(bytes: Uint8Array, at: number, number: number): number {
  const tens = (number / 10) | 0;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + number - tens * 10;
  return at + 2;
}

/** Writes a whole number and returns the place after it. */
function writeDigits(bytes: Uint8Array, at: number, number: number): number {
  let digits = 1;
  for (let limit = 10; limit <= number; limit *= 10) digits += 1;
  return writePadded(bytes, at, { number, digits });
}

/** Writes a whole number with zeros before it and returns the place after it. */
function writePadded(
  bytes: Uint8Array,
  at: number,
  { number, digits }: { number: number; digits: number },
): number {
  let place = at + digits - 1;
  let rest = number;
  for (; rest > maxInt32; place -= 1) {
    const above = Math.floor(rest / 10);
    bytes[place] = zero + rest - above * 10;
    rest = above;
  }
  // Divisions of 32-bit integers are several times faster.
  let small = rest | 0;
  for (; place >= at; place -= 1) {
    const above = (small / 10) | 0;
    bytes[place] = zero + small - above * 10;
    small = above;
  }
  return at + digits;
}

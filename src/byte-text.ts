/** Below this many units a decimal has at most 15 digits, so a double stands for one such decimal only. */
const MAX_EXACT = 1e15;
/**
 * Below this integer the lower half that `integer` computes stays below 2^53, so a number holds it exactly.
 */
const MAX_HALVED = 2n ** 56n;
const MAX_INT32 = 2_147_483_647;
const LONG_TEXT = 48;
const [zero, minus, point] = [48, 45, 46] as const;

/**
 * Collects a growing text as the bytes (UTF-8) that are sent. With millions of rows, making, joining and
 * encoding strings would take most of the time.
 */
export class ByteText {
  protected bytes: Buffer;
  protected at = 0;
  readonly #halves = new DataView(new ArrayBuffer(8));

  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafe(Math.max(expectedBytes, 256));
  }

  /** The number of bytes that were written so far. */
  get length(): number {
    return this.at;
  }

  /** Returns the text so far, or its first `length` bytes. Nothing may be written afterwards. */
  finish(length = this.at): Buffer {
    return this.bytes.subarray(0, length);
  }

  /** Writes one character with a code below 128. */
  character(code: number): void {
    this.reserve(1);
    this.bytes[this.at++] = code;
  }

  /** Writes text that was encoded before. */
  encoded(text: Uint8Array): void {
    this.reserve(text.length);
    this.bytes.set(text, this.at);
    this.at += text.length;
  }

  /** Writes a string. */
  text(text: string): void {
    const { length } = text;
    this.reserve(length * 3);
    const { bytes, at } = this;
    if (length > LONG_TEXT) {
      this.at += bytes.write(text, at);
      return;
    }
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 127) {
        // This overwrites the characters of the text that were written already.
        this.at += bytes.write(text, at);
        return;
      }
      bytes[at + index] = unit;
    }
    this.at += length;
  }

  /** Writes a finite number with the digits that `String` gives it. */
  number(value: number): void {
    const thousandths = Math.round(value * 1000);
    if (thousandths / 1000 === value && Math.abs(thousandths) < MAX_EXACT) {
      this.#decimal(thousandths, 1000, 3);
      return;
    }
    const billionths = Math.round(value * 1e9);
    const size = Math.abs(billionths);
    // Below a millionth JavaScript writes exponents.
    if (billionths / 1e9 === value && size < MAX_EXACT && size >= 1000) this.#decimal(billionths, 1e9, 9);
    else this.text(`${value}`);
  }

  /** Writes a safe integer. */
  whole(value: number): void {
    this.reserve(20);
    if (value < 0) this.bytes[this.at++] = minus;
    this.at = writeDigits(this.bytes, this.at, Math.abs(value));
  }

  /** Writes an integer with all its digits. Beyond 2^53 a number would not hold all of them. */
  integer(value: bigint): void {
    if (value < 0n || value >= MAX_HALVED) {
      this.text(`${value}`);
      return;
    }
    // Arithmetic on bigints is slow: the two halves are numbers, and 2^32 is 4 * 10^9 + 294,967,296.
    this.#halves.setBigUint64(0, value);
    const high = this.#halves.getUint32(0);
    const low = high * 294_967_296 + this.#halves.getUint32(4);
    const carried = Math.floor(low / 1e9);
    const billions = high * 4 + carried;
    this.reserve(20);
    if (billions === 0) {
      this.at = writeDigits(this.bytes, this.at, low);
      return;
    }
    const at = writeDigits(this.bytes, this.at, billions);
    this.at = writePadded(this.bytes, at, { number: low - carried * 1e9, digits: 9 });
  }

  protected reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + bytes));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  /** Writes `units / scale` without zeros at the end. `scale` is a one with `digits` zeros. */
  #decimal(units: number, scale: number, digits: number): void {
    this.reserve(32);
    const { bytes } = this;
    if (units < 0) bytes[this.at++] = minus;
    const size = Math.abs(units);
    const whole = Math.floor(size / scale);
    this.at = writeDigits(bytes, this.at, whole);
    let rest = size - whole * scale;
    if (rest === 0) return;
    let last = digits;
    for (; rest % 10 === 0; rest /= 10) last -= 1;
    bytes[this.at++] = point;
    this.at = writePadded(bytes, this.at, { number: rest, digits: last });
  }
}

/** Writes a whole number and returns the place after it. */
function writeDigits(bytes: Uint8Array, at: number, number: number): number {
  let digits = 1;
  for (let limit = 10; limit <= number; limit *= 10) digits += 1;
  return writePadded(bytes, at, { number, digits });
}

/** Writes a whole number with zeros before it and returns the place after it. */
export function writePadded(
  bytes: Uint8Array,
  at: number,
  { number, digits }: { number: number; digits: number },
): number {
  let place = at + digits - 1;
  let rest = number;
  for (; rest > MAX_INT32; place -= 1) {
    const above = Math.floor(rest / 10);
    bytes[place] = zero + (rest - above * 10);
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

/** Below this many units a decimal has at most 15 digits, so a double stands for one such decimal only. */
const MAX_EXACT = 1e15;
/**
 * Below this integer the lower half that `integer` computes stays below 2^53, so a number holds it exactly.
 */
const MAX_HALVED = 2n ** 56n;
const EIGHT_DIGITS = 1e8;
const LONG_TEXT = 48;
const [zero, minus, point] = [48, 45, 46] as const;
/** The characters of each number of four digits, as the four bytes of one number. */
const fourDigits = Uint32Array.from({ length: 10_000 }, (_, number) =>
  Buffer.from(String(number).padStart(4, '0')).readUInt32BE(),
);

/**
 * Collects a growing text as the bytes (UTF-8) that are sent. With millions of rows, making, joining and
 * encoding strings would take most of the time.
 */
export class ByteText {
  protected bytes: Buffer;
  protected at = 0;
  /** A view of the same bytes. */
  #view: DataView;
  readonly #halves = new DataView(new ArrayBuffer(8));

  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafe(Math.max(expectedBytes, 256));
    this.#view = viewOf(this.bytes);
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
    else if (Number.isSafeInteger(value)) this.whole(value);
    else this.text(`${value}`);
  }

  /** Writes a safe integer. */
  whole(value: number): void {
    this.reserve(20);
    if (value < 0) this.bytes[this.at++] = minus;
    const size = Math.abs(value);
    this.padded(size, countDigits(size));
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
    if (billions > 0) this.padded(billions, countDigits(billions));
    const rest = low - carried * 1e9;
    this.padded(rest, billions > 0 ? 9 : countDigits(rest));
  }

  protected reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + bytes));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
    this.#view = viewOf(larger);
  }

  /** Writes a whole number with zeros before it. Room is reserved by the caller. */
  protected padded(number: number, digits: number): void {
    let rest = number;
    if (digits > 8) {
      const above = eighthsOf(number);
      this.padded(above, digits - 8);
      rest = number - above * EIGHT_DIGITS;
    }
    // Divisions of 32-bit integers are several times faster than others.
    let small = rest | 0;
    const from = this.at;
    let left = Math.min(digits, 8);
    this.at += left;
    for (; left >= 4; left -= 4) {
      const above = (small / 10_000) | 0;
      this.#view.setUint32(from + left - 4, fourDigits[small - above * 10_000] as number);
      small = above;
    }
    for (; left > 0; left -= 1) {
      const above = (small / 10) | 0;
      this.bytes[from + left - 1] = zero + small - above * 10;
      small = above;
    }
  }

  /** Writes `units / scale` without zeros at the end. `scale` is a one with `digits` zeros. */
  #decimal(units: number, scale: number, digits: number): void {
    this.reserve(32);
    if (units < 0) this.bytes[this.at++] = minus;
    const size = Math.abs(units);
    const whole = Math.floor(size / scale);
    this.padded(whole, countDigits(whole));
    let rest = (size - whole * scale) | 0;
    if (rest === 0) return;
    let last = digits;
    for (; rest % 10 === 0; rest = (rest / 10) | 0) last -= 1;
    this.bytes[this.at++] = point;
    this.padded(rest, last);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Counts the digits of a safe integer. */
function countDigits(number: number): number {
  if (number >= EIGHT_DIGITS) return 8 + countDigits(eighthsOf(number));
  let digits = 1;
  for (let limit = 10; limit <= number; limit *= 10) digits += 1;
  return digits;
}

/** Returns a safe integer without its last eight digits. */
function eighthsOf(number: number): number {
  const nearest = Math.floor(number / EIGHT_DIGITS);
  // The quotient may have been rounded up to the next integer.
  return nearest * EIGHT_DIGITS > number ? nearest - 1 : nearest;
}

const zero = 0x30;

/** Reads the bytes of a JSON text from one place on. */
export class ByteReader {
  protected readonly bytes: Buffer;
  /** The place of the next byte. */
  protected at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Takes a character of JSON and the space before and behind it. Returns false if another one comes. */
  protected take(code: number): boolean {
    if (this.bytes[this.at] !== code && this.peek() !== code) return false;
    this.at += 1;
    return true;
  }

  /** Skips space, and returns the next character without taking it. */
  protected peek(): number | undefined {
    for (;;) {
      const code = this.bytes[this.at];
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at += 1;
    }
  }

  /** Takes a word such as `null`. Returns false if other bytes come. */
  protected takeWord(word: Buffer): boolean {
    for (let k = 0; k < word.length; k += 1) if (this.bytes[this.at + k] !== word[k]) return false;
    this.at += word.length;
    return true;
  }

  /** Returns the number that two digits make. Returns NaN if one of them is no digit. */
  protected twoDigits(at: number): number {
    const tens = this.digit(at);
    const ones = this.digit(at + 1);
    return tens < 0 || ones < 0 ? Number.NaN : tens * 10 + ones;
  }

  /** Returns the value of a digit. Returns -1 if the byte is no digit. */
  protected digit(at: number): number {
    const digit = (this.bytes[at] ?? 0) - zero;
    return digit >= 0 && digit <= 9 ? digit : -1;
  }
}

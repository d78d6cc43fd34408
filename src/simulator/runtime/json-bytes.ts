import { ByteText } from '../../byte-text.ts';

const DAY_MS = 86_400_000;
/** The characters of `hh:mm:ss.SSSZ`. */
const TIME_OF_DAY_LENGTH = 13;
const [zero, point, colon, quote, bracket, comma, letterZ] = [48, 46, 58, 34, 91, 44, 90] as const;

/** Writes rows as the bytes of JSON text. */
export class JsonBytes extends ByteText {
  #day = Number.NaN;
  /** The text `"YYYY-MM-DDT` of the day that was written last. */
  #dayText = new Uint8Array(0);

  /** Begins a row with `[`. A comma stands before each row but the first. */
  beginRow(isFirst: boolean): void {
    this.reserve(2);
    if (!isFirst) this.bytes[this.at++] = comma;
    this.bytes[this.at++] = bracket;
  }

  /**
   * Writes a whole millisecond as `"YYYY-MM-DDThh:mm:ssZ"`, with `.SSS` if it is no whole second. The date is
   * made once per day.
   */
  utc(epochMs: number): void {
    const day = Math.floor(epochMs / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayText = Buffer.from(`"${new Date(day * DAY_MS).toISOString().slice(0, -TIME_OF_DAY_LENGTH)}`);
    }
    const dayText = this.#dayText;
    this.reserve(dayText.length + TIME_OF_DAY_LENGTH + 1);
    const { bytes } = this;
    let at = this.at;
    for (let index = 0; index < dayText.length; index += 1) bytes[at++] = dayText[index] ?? 0;
    const ofDayMs = (epochMs - day * DAY_MS) | 0;
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
      this.at = at;
      this.padded(ofDayMs - second * 1000, 3);
      at = this.at;
    }
    bytes[at++] = letterZ;
    bytes[at++] = quote;
    this.at = at;
  }
}

function writeTwoDigits(bytes: Uint8Array, at: number, number: number): number {
  const tens = (number / 10) | 0;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + number - tens * 10;
  return at + 2;
}

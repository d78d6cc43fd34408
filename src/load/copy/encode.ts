import { stringify } from 'lossless-json';
import { messageOf, StoreError } from '../../errors.ts';
import type { NumberRows } from '../../series/number-rows.ts';
import type { SeriesPoints } from '../../series/types.ts';
import type { Column, ColumnType, ColumnValue, Row } from '../../streams/define.ts';

/** The first bytes of every binary COPY: signature, flags, length of the header extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** Postgres counts the microseconds of a timestamptz from 2000-01-01T00:00:00Z. */
export const POSTGRES_EPOCH_US = 946_684_800_000_000;
const CHUNK_BYTES = 256 * 1024;
/** The first size of a buffer: most of what is written is far smaller than a chunk. */
const FIRST_BYTES = 4096;
/** The size of a point without a text or a quality. */
const POINT_BYTES = 46;

/** A column of the target table. Its name stands in the error about a value that does not fit. */
export type CopyColumn = Pick<Column, 'name' | 'type'>;

/**
 * Encodes rows for `copy … from stdin (format binary)`: no character needs an escape, no number a decimal
 * form, and a time keeps its microseconds. Throws a `StoreError` with the column's name if a value does not
 * fit the column's type.
 */
export function* encodeRows(columns: readonly CopyColumn[], rows: Iterable<Row>): Generator<Buffer> {
  const writer = new CopyWriter();
  for (const row of rows) {
    writer.int16(columns.length);
    for (let i = 0; i < columns.length; i += 1)
      encodeColumn(writer, columns[i] as CopyColumn, row[i] ?? null);
    if (writer.length >= CHUNK_BYTES) yield writer.take();
  }
  writer.int16(-1);
  yield writer.take();
}

/** Encodes points as rows `series_id, at, value, text, quality` for a binary COPY. */
export function* encodePoints(series: readonly SeriesPoints[]): Generator<Buffer> {
  const count = series.reduce((sum, { times }) => sum + times.length, 0);
  const writer = new CopyWriter(count * POINT_BYTES);
  for (const {
    series: { id },
    times,
    values,
    texts,
    qualities,
  } of series) {
    for (let i = 0; i < times.length; i += 1) {
      writer.int16(5);
      writer.int64(id);
      writer.int64((times[i] as number) - POSTGRES_EPOCH_US);
      const [value, text, quality] = [values[i] ?? null, texts[i] ?? null, qualities[i] ?? null];
      if (value === null) writer.null();
      else writer.float64(value);
      if (text === null) writer.null();
      else writer.text(text);
      if (quality === null) writer.null();
      else writer.text(quality);
      if (writer.length >= CHUNK_BYTES) yield writer.take();
    }
  }
  writer.int16(-1);
  yield writer.take();
}

/** Encodes rows of numbers for a binary COPY, with null for NaN. */
export function* encodeNumbers(columns: readonly CopyColumn[], rows: NumberRows): Generator<Buffer> {
  const writer = new CopyWriter();
  for (let row = 0; row < rows.end; row += rows.width) {
    writer.int16(columns.length);
    for (let k = 0; k < columns.length; k += 1) {
      const value = rows.get(row, k);
      if (Number.isNaN(value)) writer.null();
      else encodeColumn(writer, columns[k] as CopyColumn, value);
    }
    if (writer.length >= CHUNK_BYTES) yield writer.take();
  }
  writer.int16(-1);
  yield writer.take();
}

function encodeColumn(writer: CopyWriter, column: CopyColumn, value: ColumnValue): void {
  try {
    encodeValue(writer, column.type, value);
  } catch (error) {
    throw new StoreError('postgres.refused_value', `column ${column.name}: ${messageOf(error)}`, {
      action: 'stop',
      cause: error,
    });
  }
}

function encodeValue(writer: CopyWriter, type: ColumnType, value: ColumnValue): void {
  if (value === null) writer.null();
  else if (type === 'text' && typeof value === 'string') writer.text(value);
  else if (type === 'double precision' && typeof value === 'number') writer.float64(value);
  else if (type === 'timestamptz' && typeof value === 'number') writer.int64(value - POSTGRES_EPOCH_US);
  else if (type === 'bigint' && typeof value === 'bigint') writer.bigint(value);
  else if (type === 'bigint' && typeof value === 'number') writer.int64(value);
  else if (type === 'integer' && typeof value === 'number') writer.int32(value);
  else if (type === 'boolean' && typeof value === 'boolean') writer.boolean(value);
  // Unlike JSON.stringify, `stringify` keeps every digit of a bigint inside the document.
  else if (type === 'jsonb') writer.jsonb(stringify(value) ?? 'null');
  else throw new TypeError(`a ${typeof value} cannot be stored as ${type}`);
}

/**
 * A growing buffer that encodes the fields of the binary format. Each field is its length in bytes, then its
 * value, big-endian.
 */
class CopyWriter {
  #buffer: Buffer;
  /** A view of the same bytes. Unlike the methods of a buffer, it writes a number in one instruction. */
  #view: DataView;
  #at: number;

  constructor(expectedBytes = 0) {
    this.#buffer = Buffer.allocUnsafe(FIRST_BYTES + Math.min(expectedBytes, CHUNK_BYTES));
    this.#view = viewOf(this.#buffer);
    this.#at = header.copy(this.#buffer);
  }

  get length(): number {
    return this.#at;
  }

  /** Returns the bytes written so far and begins with an empty buffer. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#at);
    // After a full chunk most likely another one follows.
    this.#use(Buffer.allocUnsafe(this.#at < CHUNK_BYTES ? FIRST_BYTES : CHUNK_BYTES + FIRST_BYTES));
    this.#at = 0;
    return taken;
  }

  /**
   * Writes a 16-bit number without a length: the number of fields of the row that follows, or -1 at the
   * end.
   */
  int16(value: number): void {
    this.#reserve(2);
    this.#view.setInt16(this.#at, value);
    this.#at += 2;
  }

  null(): void {
    this.#reserve(4);
    this.#view.setInt32(this.#at, -1);
    this.#at += 4;
  }

  boolean(value: boolean): void {
    this.#field(1);
    this.#view.setInt8(this.#at - 1, value ? 1 : 0);
  }

  int32(value: number): void {
    if (value !== (value | 0)) throw unfit(value, 'a 32-bit number');
    this.#field(4);
    this.#view.setInt32(this.#at - 4, value);
  }

  int64(value: number): void {
    const high = Math.floor(value / 2 ** 32);
    if (!Number.isInteger(value) || high !== (high | 0)) throw unfit(value, 'a 64-bit number');
    this.#field(8);
    this.#view.setInt32(this.#at - 8, high);
    this.#view.setUint32(this.#at - 4, value - high * 2 ** 32);
  }

  bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw unfit(value, 'a 64-bit number');
    this.#field(8);
    this.#view.setBigInt64(this.#at - 8, value);
  }

  float64(value: number): void {
    this.#field(8);
    this.#view.setFloat64(this.#at - 8, value);
  }

  text(value: string): void {
    this.#string(value, undefined);
  }

  jsonb(value: string): void {
    this.#string(value, 1);
  }

  /** Makes a field of so many bytes, which end at the new place of the writer. */
  #field(bytes: number): void {
    this.#reserve(4 + bytes);
    this.#view.setInt32(this.#at, bytes);
    this.#at += 4 + bytes;
  }

  #string(value: string, version: number | undefined): void {
    // A UTF-16 unit needs at most three bytes of UTF-8. The length is known, and written, only after the
    // text.
    this.#reserve(5 + 3 * value.length);
    const start = this.#at + 4;
    let end = start;
    if (version !== undefined) this.#view.setInt8(end++, version);
    end += this.#buffer.write(value, end, 'utf8');
    this.#view.setInt32(this.#at, end - start);
    this.#at = end;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#at + bytes, 2 * this.#buffer.length));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#use(grown);
  }

  #use(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/**
 * Makes the error in a place of its own. In the place of the check the compiler makes its text ahead, which
 * costs more than to write a point.
 */
function unfit(value: number | bigint, type: string): RangeError {
  return new RangeError(`${value} is not ${type}`);
}

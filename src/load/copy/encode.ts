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

/** A column of the target table. Its name stands in the error about a value that does not fit. */
export type CopyColumn = Pick<Column, 'name' | 'type'>;

/**
 * Encodes rows for `copy … from stdin (format binary)`: no character needs an escape, no number a decimal
 * form, and a time keeps its microseconds. Throws a `StoreError` with the column's name if a value does not
 * fit the column's type.
 */
export function* encodeRows(columns: readonly CopyColumn[], rows: Iterable<Row>): Generator<Buffer> {
  const writer = createWriter();
  for (const row of rows) {
    writer.int16(columns.length);
    for (let i = 0; i < columns.length; i += 1)
      encodeColumn(writer, columns[i] as CopyColumn, row[i] ?? null);
    if (writer.length() >= CHUNK_BYTES) yield writer.take();
  }
  writer.int16(-1);
  yield writer.take();
}

/** Encodes points as rows `series_id, at, value, text, quality` for a binary COPY. */
export function* encodePoints(series: Iterable<SeriesPoints>): Generator<Buffer> {
  const writer = createWriter();
  for (const points of series) {
    for (let i = 0; i < points.times.length; i += 1) {
      writer.int16(5);
      writer.int64(points.series.id);
      writer.int64((points.times[i] as number) - POSTGRES_EPOCH_US);
      encodeValue(writer, 'double precision', points.values[i] ?? null);
      encodeValue(writer, 'text', points.texts[i] ?? null);
      encodeValue(writer, 'text', points.qualities[i] ?? null);
      if (writer.length() >= CHUNK_BYTES) yield writer.take();
    }
  }
  writer.int16(-1);
  yield writer.take();
}

/** Encodes rows of numbers for a binary COPY, with null for NaN. */
export function* encodeNumbers(columns: readonly CopyColumn[], rows: NumberRows): Generator<Buffer> {
  const writer = createWriter();
  for (let row = 0; row < rows.end; row += rows.width) {
    writer.int16(columns.length);
    for (let k = 0; k < columns.length; k += 1) {
      const value = rows.get(row, k);
      if (Number.isNaN(value)) writer.null();
      else encodeColumn(writer, columns[k] as CopyColumn, value);
    }
    if (writer.length() >= CHUNK_BYTES) yield writer.take();
  }
  writer.int16(-1);
  yield writer.take();
}

function encodeColumn(writer: Writer, column: CopyColumn, value: ColumnValue): void {
  try {
    encodeValue(writer, column.type, value);
  } catch (error) {
    throw new StoreError('postgres.refused_value', `column ${column.name}: ${messageOf(error)}`, {
      action: 'stop',
      cause: error,
    });
  }
}

function encodeValue(writer: Writer, type: ColumnType, value: ColumnValue): void {
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

type Writer = ReturnType<typeof createWriter>;

/**
 * Creates a growing buffer that encodes the fields of the binary format. Each field is its length in bytes,
 * then its value, big-endian.
 */
function createWriter() {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let at = header.copy(buffer);

  function field(bytes: number): void {
    reserve(4 + bytes);
    at = buffer.writeInt32BE(bytes, at);
  }
  function reserve(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(at + bytes, 2 * buffer.length));
    buffer.copy(grown, 0, 0, at);
    buffer = grown;
  }
  function whole(value: number): number {
    if (!Number.isInteger(value)) throw new RangeError(`${value} is not a whole number`);
    return value;
  }
  function string(value: string, version: number | undefined): void {
    // A UTF-16 unit needs at most three bytes of UTF-8. The length is known, and written, only after the
    // text.
    reserve(5 + 3 * value.length);
    const start = at + 4;
    at = version === undefined ? start : buffer.writeInt8(version, start);
    at += buffer.write(value, at, 'utf8');
    buffer.writeInt32BE(at - start, start - 4);
  }

  return {
    length: () => at,
    /** Returns the bytes written so far and begins with an empty buffer. */
    take(): Buffer {
      const taken = buffer.subarray(0, at);
      // After a full chunk most likely another one follows.
      buffer = Buffer.allocUnsafe(at < CHUNK_BYTES ? FIRST_BYTES : CHUNK_BYTES + FIRST_BYTES);
      at = 0;
      return taken;
    },
    /**
     * Writes a 16-bit number without a length: the number of fields of the row that follows, or -1 at the
     * end.
     */
    int16(value: number): void {
      reserve(2);
      at = buffer.writeInt16BE(value, at);
    },
    null(): void {
      reserve(4);
      at = buffer.writeInt32BE(-1, at);
    },
    boolean(value: boolean): void {
      field(1);
      at = buffer.writeInt8(value ? 1 : 0, at);
    },
    int32(value: number): void {
      field(4);
      at = buffer.writeInt32BE(whole(value), at);
    },
    int64(value: number): void {
      field(8);
      const high = Math.floor(whole(value) / 2 ** 32);
      at = buffer.writeInt32BE(high, at);
      at = buffer.writeUInt32BE(value - high * 2 ** 32, at);
    },
    bigint(value: bigint): void {
      field(8);
      at = buffer.writeBigInt64BE(value, at);
    },
    float64(value: number): void {
      field(8);
      at = buffer.writeDoubleBE(value, at);
    },
    text: (value: string): void => string(value, undefined),
    jsonb: (value: string): void => string(value, 1),
  };
}

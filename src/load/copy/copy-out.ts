import type { PoolClient } from 'pg';
import { to } from 'pg-copy-streams';
import { POSTGRES_EPOCH_US } from './encode.ts';

/** The types of columns that can be read. All become numbers; times are epoch microseconds. */
export type FixedType = 'bigint' | 'integer' | 'double precision' | 'timestamptz';

/** Bytes of the header: signature, flags, length of the header extension. */
const HEADER_BYTES = 19;

/**
 * Reads the rows of a query by a binary COPY, which costs a fifth of what rows of the driver do. `take` gets
 * each row in the same array, so it must not keep the array. A null is NaN. The query has no parameters.
 */
export async function copyOut(
  client: PoolClient,
  { query, columns }: { query: string; columns: readonly FixedType[] },
  take: (row: Float64Array) => void,
): Promise<void> {
  const stream = client.query(to(`copy (${query}) to stdout (format binary)`));
  const row = new Float64Array(columns.length);
  const longest = 2 + columns.length * 12;
  let rest: Buffer = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const buffer: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    if (!isBegun) {
      if (buffer.length < HEADER_BYTES) {
        rest = buffer;
        continue;
      }
      at = HEADER_BYTES;
      isBegun = true;
    }
    while (at + longest <= buffer.length || isWhole(buffer, at, columns.length)) {
      at = readRow(buffer, at, { columns, row });
      take(row);
    }
    rest = buffer.subarray(at);
  }
}

/** Tells whether a whole row begins at a position. The end of the data is no row. */
function isWhole(buffer: Buffer, start: number, columns: number): boolean {
  if (start + 2 > buffer.length || buffer.readInt16BE(start) < 0) return false;
  let at = start + 2;
  for (let k = 0; k < columns; k += 1) {
    if (at + 4 > buffer.length) return false;
    at += 4 + Math.max(0, buffer.readInt32BE(at));
  }
  return at <= buffer.length;
}

interface RowReading {
  readonly columns: readonly FixedType[];
  readonly row: Float64Array;
}

function readRow(buffer: Buffer, start: number, { columns, row }: RowReading): number {
  let at = start + 2;
  for (let k = 0; k < columns.length; k += 1) {
    const bytes = buffer.readInt32BE(at);
    at += 4;
    if (bytes < 0) {
      row[k] = Number.NaN;
      continue;
    }
    row[k] = readField(buffer, at, columns[k] as FixedType);
    at += bytes;
  }
  return at;
}

function readField(buffer: Buffer, at: number, type: FixedType): number {
  if (type === 'double precision') return buffer.readDoubleBE(at);
  if (type === 'integer') return buffer.readInt32BE(at);
  const whole = buffer.readInt32BE(at) * 2 ** 32 + buffer.readUInt32BE(at + 4);
  return type === 'timestamptz' ? whole + POSTGRES_EPOCH_US : whole;
}

import type { Piece } from './rollup.ts';

/** A piece of one series, and the bucket that holds it. */
export interface PlacedPiece {
  readonly seriesId: number;
  /** The begin of the bucket. */
  readonly bucket: number;
  readonly piece: Piece;
}

const FIELDS = 13;

/** Writes pieces as bytes: so many doubles for each, with NaN for null. */
export function encodePieces(pieces: readonly PlacedPiece[]): Buffer {
  const numbers = new Float64Array(pieces.length * FIELDS);
  let k = 0;
  for (const { seriesId, bucket, piece } of pieces) {
    numbers[k] = seriesId;
    numbers[k + 1] = bucket;
    numbers[k + 2] = piece.count;
    numbers[k + 3] = piece.valued;
    numbers[k + 4] = piece.min ?? Number.NaN;
    numbers[k + 5] = piece.max ?? Number.NaN;
    numbers[k + 6] = piece.sum;
    numbers[k + 7] = piece.firstAt;
    numbers[k + 8] = piece.first ?? Number.NaN;
    numbers[k + 9] = piece.lastAt;
    numbers[k + 10] = piece.last ?? Number.NaN;
    numbers[k + 11] = piece.integral;
    numbers[k + 12] = piece.knownSec;
    k += FIELDS;
  }
  return Buffer.from(numbers.buffer);
}

/** Reads pieces from the bytes of `encodePieces`. */
export function decodePieces(bytes: Buffer): PlacedPiece[] {
  // A copy lies at a multiple of eight bytes, as an array of doubles has to.
  const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
  const number = (k: number): number => numbers[k] as number;
  const numberOrNull = (k: number): number | null => (Number.isNaN(numbers[k]) ? null : number(k));
  const pieces: PlacedPiece[] = [];
  for (let k = 0; k < numbers.length; k += FIELDS)
    pieces.push({
      seriesId: number(k),
      bucket: number(k + 1),
      piece: {
        from: number(k + 7),
        to: number(k + 9),
        count: number(k + 2),
        valued: number(k + 3),
        min: numberOrNull(k + 4),
        max: numberOrNull(k + 5),
        sum: number(k + 6),
        firstAt: number(k + 7),
        first: numberOrNull(k + 8),
        lastAt: number(k + 9),
        last: numberOrNull(k + 10),
        integral: number(k + 11),
        knownSec: number(k + 12),
      },
    });
  return pieces;
}

import { Breaks } from '../../../breaks.ts';
import { ByteText } from '../../../byte-text.ts';
import type { Series, SeriesPoints } from '../../../series/types.ts';
import { encodeFields, hasFields, type LineEncoder, writeFields } from './line-protocol.ts';
import type { InfluxRefusals } from './refused-points.ts';

const [space, lineBreak] = [32, 10] as const;
/** The size in bytes of an ordinary line. */
const LINE_BYTES = 80;

/** The lines of one request, each ended by a line break. */
export interface Chunk {
  readonly bytes: Buffer;
  /** The position of each line in `bytes`. */
  readonly starts: Uint32Array;
  /** The series of the lines, in their order: each with the first of its lines. */
  readonly owners: readonly Owner[];
}

interface Owner {
  readonly series: Series;
  readonly firstLine: number;
}

/** A chunk, and the number of points since the chunk before that have no line (null, NaN, ±Infinity). */
export type CutChunk = Chunk & { readonly skipped: number };

/** A line and its series. */
export interface OwnedLine {
  readonly line: string;
  readonly owner: Series;
}

export interface ChunkSource {
  readonly encoder: LineEncoder;
  readonly points: readonly SeriesPoints[];
  readonly maxLines: number;
  /**
   * Returns the most bytes of a chunk. Called before each line, because the server may turn out to accept
   * less.
   */
  readonly maxLength: () => number;
  /** Collects the points that cannot be written as a line. */
  readonly refusals: InfluxRefusals;
}

/**
 * Cuts points into chunks of at most `maxLines` lines and `maxLength` bytes. A single line may be longer. The
 * last chunk may be empty, so that its number of skipped points is not lost. Takes breaks, since points
 * without a line fill no chunk whose write would be one.
 */
export async function* cutChunks(source: ChunkSource): AsyncGenerator<CutChunk> {
  const breaks = new Breaks();
  let left = source.points.reduce((sum, { times }) => sum + times.length, 0);
  const begin = () => new GrowingChunk(Math.min(source.maxLines, left));
  let chunk = begin();
  for (const { series, times, values, texts } of source.points) {
    const key = source.encoder.keyOf(series);
    for (let i = 0; i < times.length; i++, left--) {
      if (breaks.dueAt(i)) await breaks.take();
      const value = values[i] ?? null;
      const text = texts[i] ?? null;
      const time = times[i] ?? Number.NaN;
      if (!hasFields(value, text)) {
        chunk.skipped += 1;
        continue;
      }
      const reason = key.refused ?? reasonOfTime(time);
      if (reason !== undefined) {
        source.refusals.add({ series, reason, timeUs: time, fields: encodeFields(value, text) });
        continue;
      }
      const { out } = chunk;
      const start = out.length;
      out.encoded(key.bytes);
      out.character(space);
      writeFields(out, value, text);
      out.character(space);
      out.whole(time);
      out.character(lineBreak);
      const isFull = chunk.lines >= source.maxLines || out.length > source.maxLength();
      if (isFull && chunk.lines > 0) {
        const line = out.finish().subarray(start);
        yield chunk.finish(start);
        chunk = begin();
        chunk.out.encoded(line);
        chunk.note(series, 0);
      } else chunk.note(series, start);
    }
  }
  yield chunk.finish();
}

/** Makes a chunk of ready lines. */
export function chunkOf(lines: readonly OwnedLine[]): Chunk {
  const chunk = new GrowingChunk(lines.length);
  for (const { line, owner } of lines) {
    const start = chunk.out.length;
    chunk.out.text(line);
    chunk.out.character(lineBreak);
    chunk.note(owner, start);
  }
  return chunk.finish();
}

class GrowingChunk {
  readonly out: ByteText;
  skipped = 0;
  lines = 0;
  readonly #starts: Uint32Array;
  readonly #owners: Owner[] = [];

  /** @param mostLines the lines that the chunk has room for */
  constructor(mostLines: number) {
    this.out = new ByteText(mostLines * LINE_BYTES);
    this.#starts = new Uint32Array(mostLines);
  }

  /** Adds the line that was written last to the chunk. */
  note(series: Series, start: number): void {
    if (this.#owners.at(-1)?.series !== series) this.#owners.push({ series, firstLine: this.lines });
    this.#starts[this.lines] = start;
    this.lines += 1;
  }

  /** Returns the chunk with all bytes written, or with the first `length` bytes. */
  finish(length?: number): CutChunk {
    const { out, skipped, lines } = this;
    const starts = this.#starts.subarray(0, lines);
    return { bytes: out.finish(length), starts, owners: this.#owners, skipped };
  }
}

/** Returns the series of a line of a chunk. */
export function ownerOf({ owners }: Chunk, line: number): Series | undefined {
  return owners.findLast(({ firstLine }) => firstLine <= line)?.series;
}

/**
 * Returns the points that become lines, in the form in which they are read: without null, NaN, and points
 * that have no line.
 */
export async function heldOf(points: SeriesPoints, encoder: LineEncoder): Promise<SeriesPoints> {
  const { series, times, values, texts } = points;
  const held = {
    series,
    times: [] as number[],
    values: [] as (number | null)[],
    texts: [] as (string | null)[],
    qualities: [] as null[],
  };
  if (encoder.keyOf(series).refused !== undefined) return held;
  const breaks = new Breaks();
  for (let i = 0; i < times.length; i += 1) {
    if (breaks.dueAt(i)) await breaks.take();
    const [time, value, text] = [times[i] as number, values[i] ?? null, texts[i] ?? null];
    if (reasonOfTime(time) !== undefined || !hasFields(value, text)) continue;
    held.times.push(time);
    held.values.push(value);
    held.texts.push(text);
    held.qualities.push(null);
  }
  return held;
}

/**
 * Returns the reason if a time cannot be stored exactly. A double holds microseconds exactly up to the year
 * 2255. After that a point would be stored at another time.
 */
function reasonOfTime(time: number): string | undefined {
  return Number.isSafeInteger(time)
    ? undefined
    : 'the time is outside of the years that can be stored exactly';
}

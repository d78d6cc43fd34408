import type { Series, SeriesPoints } from '../series/types.ts';
import type { InfluxRefusals } from './influx-refusals.ts';
import { encodeFields, type LineEncoder } from './line-protocol.ts';

/** Lines of one request and the series of each. */
export interface Chunk {
  readonly lines: string[];
  readonly owners: Series[];
  /** Points that have no line (null, NaN, ±Infinity), counted since the chunk before. */
  skipped: number;
}

export interface ChunkSource {
  readonly encoder: LineEncoder;
  readonly points: readonly SeriesPoints[];
  readonly maxLines: number;
  /** Asked before each line, because the server may turn out to take less. */
  readonly maxLength: () => number;
  /** Takes the points that cannot be written as a line. */
  readonly refusals: InfluxRefusals;
}

/**
 * Cuts points into chunks of at most `maxLines` lines and `maxLength` UTF-16 units; one line may be longer.
 * The last chunk may be empty, so that its count of skipped points is not lost.
 */
export function* cutChunks(source: ChunkSource): Generator<Chunk> {
  let chunk = emptyChunk();
  let size = 0;
  for (const { series, times, values, texts } of source.points) {
    const key = source.encoder.keyOf(series);
    for (let i = 0; i < times.length; i++) {
      const fields = encodeFields(values[i] ?? null, texts[i] ?? null);
      const time = times[i] ?? Number.NaN;
      if (fields === '') {
        chunk.skipped++;
        continue;
      }
      const reason = key.refused ?? reasonOfTime(time);
      if (reason !== undefined) {
        source.refusals.add({ series, reason, timeMicros: time, fields });
        continue;
      }
      const line = `${key.text} ${fields} ${time}`;
      if (
        chunk.lines.length > 0 &&
        (chunk.lines.length >= source.maxLines || size + line.length > source.maxLength())
      ) {
        yield chunk;
        chunk = emptyChunk();
        size = 0;
      }
      chunk.lines.push(line);
      chunk.owners.push(series);
      size += line.length + 1;
    }
  }
  yield chunk;
}

/** The points that become lines, as they are read back: null, NaN and what cannot be written as a line are not there. */
export function heldOf(points: SeriesPoints, encoder: LineEncoder): SeriesPoints {
  const { series, times, values, texts } = points;
  const isRefused = encoder.keyOf(series).refused !== undefined;
  const kept = [...times.keys()].filter(
    (i) =>
      !isRefused &&
      reasonOfTime(times[i] as number) === undefined &&
      encodeFields(values[i] ?? null, texts[i] ?? null) !== '',
  );
  return {
    series,
    times: kept.map((i) => times[i] as number),
    values: kept.map((i) => values[i] ?? null),
    texts: kept.map((i) => texts[i] ?? null),
    qualities: kept.map(() => null),
  };
}

function emptyChunk(): Chunk {
  return { lines: [], owners: [], skipped: 0 };
}

/** A double holds microseconds exactly up to the year 2255; beyond it a point would land at another time. */
function reasonOfTime(time: number): string | undefined {
  return Number.isSafeInteger(time)
    ? undefined
    : 'the time is outside of the years that can be stored exactly';
}

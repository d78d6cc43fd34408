import type { RefusedPoints, WriteResult } from '../../../../src/load/stores/store.ts';
import type { SeriesPoints } from '../../../../src/series/types.ts';
import { appendLines } from './append.ts';
import { encodeLine } from './lines.ts';

/** A longer line is refused. */
export const MAX_LINE_CHARACTERS = 64 * 1024;
const MAX_SAMPLES = 3;
const SAMPLE_CHARACTERS = 120;

/** Writes points to a file; resolves when the disk has all that were not refused. */
export async function writePoints(
  path: string,
  measurement: string,
  all: readonly SeriesPoints[],
): Promise<WriteResult> {
  const lines: string[] = [];
  const refused: RefusedPoints[] = [];
  let skipped = 0;
  for (const points of all) {
    const made = linesOf(points, measurement);
    skipped += points.times.length - made.length;
    const isTooLong = ({ line }: MadeLine) => line.length > MAX_LINE_CHARACTERS;
    lines.push(...made.filter((each) => !isTooLong(each)).map(({ line }) => line));
    const tooLong = made.filter(isTooLong);
    if (tooLong.length > 0) refused.push(refusalOf(points.series.id, tooLong));
  }
  if (lines.length > 0) await appendLines(path, `${lines.join('\n')}\n`);
  return { written: lines.length, skipped, refused };
}

/**
 * The points that can be a line: without those that have neither value nor text, and without what is too
 * long.
 */
export function heldOf(points: SeriesPoints, measurement: string): SeriesPoints {
  const kept = linesOf(points, measurement).filter(({ line }) => line.length <= MAX_LINE_CHARACTERS);
  const pick = <T>(column: readonly T[]): T[] => kept.map(({ index }) => column[index] as T);
  const { series, times, values, texts } = points;
  return {
    series,
    times: pick(times),
    values: pick(values),
    texts: pick(texts),
    qualities: kept.map(() => null),
  };
}

interface MadeLine {
  readonly index: number;
  readonly at: number;
  readonly line: string;
}

function linesOf({ series, times, values, texts }: SeriesPoints, measurement: string): MadeLine[] {
  const tags = { object: series.object, property: series.property };
  return times.flatMap((at, index) => {
    const [value, text] = [values[index] ?? null, texts[index] ?? null];
    if (value === null && text === null) return [];
    const fields = { ...(value !== null && { value }), ...(text !== null && { text }) };
    return [{ index, at, line: encodeLine({ measurement, tags, fields, at }) }];
  });
}

function refusalOf(seriesId: number, lines: readonly MadeLine[]): RefusedPoints {
  const times = lines.map(({ at }) => at);
  return {
    seriesId,
    range: { from: Math.min(...times), to: Math.max(...times) + 1 },
    reason: `a line takes at most ${MAX_LINE_CHARACTERS} characters`,
    count: lines.length,
    samples: lines.slice(0, MAX_SAMPLES).map(({ line }) => line.slice(0, SAMPLE_CHARACTERS)),
  };
}

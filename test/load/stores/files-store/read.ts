import type { PointPage, Stretch } from '../../../../src/load/stores/store.ts';
import type { Series, SeriesPoints } from '../../../../src/series/types.ts';
import { readLines } from './append.ts';
import { decodeLine, keyOfLine, type Line } from './lines.ts';

/** Points in one part of an answer. */
const PART_POINTS = 5_000;

/** Every point of a file once, as it was written last. */
export async function readFile(path: string): Promise<Line[]> {
  const byKey = new Map<string, Line>();
  for (const line of (await readLines(path)).map(decodeLine)) byKey.set(keyOfLine(line), line);
  return [...byKey.values()];
}

/** Reads points of some series back, in parts. */
export async function* readPoints(
  path: string,
  { series, range }: Omit<Stretch, 'stream'>,
): AsyncGenerator<SeriesPoints> {
  const lines = (await readFile(path))
    .filter(({ at }) => at >= range.from && at < range.to)
    .sort((a, b) => a.at - b.at);
  for (const own of series) {
    const found = lines.filter(({ tags }) => tags.object === own.object && tags.property === own.property);
    for (let from = 0; from < found.length; from += PART_POINTS) {
      yield pointsOf(own, found.slice(from, from + PART_POINTS));
    }
  }
}

/** Reads one page of the points of a series. */
export async function readPage(
  path: string,
  { series, range, order, limit }: Omit<PointPage, 'stream'>,
): Promise<SeriesPoints> {
  const lines = (await readFile(path))
    .filter(({ tags }) => tags.object === series.object && tags.property === series.property)
    .filter(({ at }) => at >= range.from && at < range.to)
    .sort((a, b) => (order === 'oldest first' ? a.at - b.at : b.at - a.at))
    .slice(0, limit);
  return pointsOf(series, lines);
}

function pointsOf(series: Series, lines: readonly Line[]): SeriesPoints {
  return {
    series,
    times: lines.map(({ at }) => at),
    values: lines.map(({ fields }) => (fields.value ?? null) as number | null),
    texts: lines.map(({ fields }) => (fields.text ?? null) as string | null),
    qualities: lines.map(() => null),
  };
}

import { csvCell } from '../../csv-cell.ts';
import type { SeriesPoints } from '../../series/types.ts';
import type { InstantFormatter } from '../../series/zoned-instant.ts';
import { type ExactValue, exactValue } from './exact-value.ts';

export const pointFormats = ['csv', 'jsonl'] as const;
export type PointFormat = (typeof pointFormats)[number];

/** Writes points as lines of text. */
export interface PointLines {
  /** What comes before the first line. */
  readonly head: string;
  /** Returns the lines of points, each with its line break. */
  write(points: SeriesPoints): string;
}

/** Makes the writer of a format. No digit is lost, and a missing value differs from an empty text. */
export function createPointLines(format: PointFormat, formatTime: InstantFormatter): PointLines {
  return format === 'csv'
    ? { head: 'object,property,time,value,quality\n', write: (points) => writeCsv(points, formatTime) }
    : { head: '', write: (points) => writeJson(points, formatTime) };
}

function writeCsv({ series, times, values, texts, qualities }: SeriesPoints, time: InstantFormatter): string {
  const begin = `${csvField(series.object)},${csvField(series.property)},`;
  let lines = '';
  for (let k = 0; k < times.length; k += 1) {
    const value = exactValue(series, values[k] ?? null, texts[k] ?? null);
    const field = value === undefined ? '' : value.kind === 'text' ? csvField(value.text) : value.text;
    lines += `${begin}${time(times[k] as number)},${field},${qualities[k] ?? ''}\n`;
  }
  return lines;
}

/** An empty text is quoted, too: nothing is a missing value. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$|^$/;

function csvField(text: string): string {
  return csvCell(text, NEEDS_QUOTES);
}

function writeJson(
  { series, times, values, texts, qualities }: SeriesPoints,
  time: InstantFormatter,
): string {
  const begin = `{"object":${JSON.stringify(series.object)},"property":${JSON.stringify(series.property)},"time":"`;
  let lines = '';
  for (let k = 0; k < times.length; k += 1) {
    const value = jsonValue(exactValue(series, values[k] ?? null, texts[k] ?? null));
    const quality = qualities[k] ?? null;
    const end = quality === null ? '}\n' : `,"quality":"${quality}"}\n`;
    lines += `${begin}${time(times[k] as number)}","value":${value}${end}`;
  }
  return lines;
}

/** A number is written as its digits, which JSON allows in any length. */
function jsonValue(value: ExactValue | undefined): string {
  if (value === undefined) return 'null';
  return value.kind === 'text' ? JSON.stringify(value.text) : value.text;
}

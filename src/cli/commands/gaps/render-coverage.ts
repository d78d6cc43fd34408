import { formatInstant } from '../../../series/instant.ts';
import type { CoveragePicture, Named, PictureLine } from '../../../sync/status/coverage-picture.ts';
import { cutText } from '../../output/table.ts';
import { padText, widthOf } from '../../output/text-width.ts';

/** The shades from nothing to everything. A part is never drawn as all or nothing: a small gap must show. */
const SHADES = ' ░▒▓█';
const NOT_WANTED = '·';
const NAME_WIDTH = 32;
const PERCENT_WIDTH = 6;
const FEWEST_CELLS = 10;

/**
 * Renders the picture of coverage: a line of cells for each store and selection or series, and an axis below.
 */
export function renderPicture({ range, lines }: CoveragePicture): string[] {
  if (lines.length === 0) return [];
  const names = lines.map(shortNameOf);
  const width = widestOf(names);
  const stores = [...new Set(lines.map(({ store }) => store))];
  const drawn = stores.flatMap((store) => [
    store,
    ...lines.flatMap((line, k) =>
      line.store === store
        ? [`  ${padText(names[k] ?? '', width)} │${drawCells(line)}│ ${percentOf(line)}`]
        : [],
    ),
  ]);
  return [...drawn, ...drawAxis(range, { indent: width + 4, cells: lines[0]?.cells.length ?? 0 })];
}

/** Tells how many cells a picture of these lines has room for, in so many columns of a terminal. */
export function countCells(lines: readonly Named[], columns: number): number {
  const taken = 2 + widestOf(lines.map(shortNameOf)) + ' ││ '.length + PERCENT_WIDTH;
  return Math.max(FEWEST_CELLS, columns - taken);
}

function widestOf(names: readonly string[]): number {
  return Math.max(0, ...names.map(widthOf));
}

function shortNameOf(line: Named): string {
  return cutText(nameOf(line), NAME_WIDTH);
}

/** Names a line of the picture. An aggregate has its period and function: `pump1/temp 300s/mean (20)`. */
function nameOf({ name, stream, series }: Named): string {
  const [, ...aggregate] = stream.split('/');
  const full = [name, aggregate.join('/')].filter((part) => part !== '').join(' ');
  return series > 1 ? `${full} (${series})` : full;
}

function drawCells({ cells }: PictureLine): string {
  return cells.map(shadeOf).join('');
}

/** Returns the sign for the covered share of a cell. */
export function shadeOf(share: number | undefined): string {
  if (share === undefined) return NOT_WANTED;
  if (share >= 1) return SHADES.at(-1) ?? '';
  return share <= 0 ? (SHADES[0] ?? '') : (SHADES[1 + Math.min(2, Math.floor(share * 3))] ?? '');
}

/** Rounds down, so that only complete coverage is 100 %. */
function percentOf({ share }: PictureLine): string {
  return `${Math.floor(share * 1000) / 10}%`.padStart(PERCENT_WIDTH);
}

/** Draws an axis below the cells, with the times of their start, middle and end, as far as they have room. */
function drawAxis(
  { from, to }: CoveragePicture['range'],
  { indent, cells }: { indent: number; cells: number },
): string[] {
  const label = (micros: number) => formatInstant(Math.floor(micros / 60e6) * 60e6).replace(/:00Z$/, 'Z');
  const middle = Math.floor(cells / 2);
  const ticks = `└${'─'.repeat(middle)}┴${'─'.repeat(cells - middle - 1)}┘`;
  const [first, second, third] = [from, (from + to) / 2, to].map(label) as [string, string, string];
  const width = cells + 2;
  const hasMiddle = width >= first.length + second.length + third.length + 2;
  const row = hasMiddle ? first.padEnd(middle + 1 - Math.floor(second.length / 2)) + second : first;
  const text = width > row.length + third.length ? row.padEnd(width - third.length) + third : row;
  const space = ' '.repeat(indent - 1);
  return [`${space}${ticks}`, `${space}${text}`];
}

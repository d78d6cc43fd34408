import { formatInstant } from '../../../series/instant.ts';
import type { CoveragePicture, PictureLine } from '../../../sync/status/coverage-picture.ts';
import { cutText } from '../../output/table.ts';
import { padText, widthOf } from '../../output/text-width.ts';

/** The shades from nothing to everything. A part is never drawn as all or nothing: a small gap must show. */
const SHADES = ' ░▒▓█';
const NOT_WANTED = '·';
const NAME_WIDTH = 32;

/**
 * Renders the picture of coverage: a line of cells for each store and selection or series, and an axis below.
 */
export function renderPicture({ range, lines }: CoveragePicture): string[] {
  if (lines.length === 0) return [];
  const names = lines.map((line) => cutText(nameOf(line), NAME_WIDTH));
  const width = Math.max(...names.map(widthOf));
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

/** Names a line of the picture. An aggregate has its period and function: `pump1/temp 300s/mean (20)`. */
function nameOf({ name, stream, series }: PictureLine): string {
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
  return `${Math.floor(share * 1000) / 10}%`.padStart(6);
}

/** Draws an axis below the cells, with three times: of their start, their middle and their end. */
function drawAxis(
  { from, to }: CoveragePicture['range'],
  { indent, cells }: { indent: number; cells: number },
): string[] {
  const label = (micros: number) => formatInstant(Math.floor(micros / 60e6) * 60e6).replace(/:00Z$/, 'Z');
  const middle = Math.floor(cells / 2);
  const ticks = `└${'─'.repeat(middle)}┴${'─'.repeat(cells - middle - 1)}┘`;
  const [first, second, third] = [from, (from + to) / 2, to].map(label) as [string, string, string];
  const row = first.padEnd(Math.max(first.length + 1, middle + 1 - Math.floor(second.length / 2))) + second;
  const text = row.padEnd(Math.max(row.length + 1, cells + 2 - third.length)) + third;
  const space = ' '.repeat(indent - 1);
  return [`${space}${ticks}`, `${space}${text}`];
}

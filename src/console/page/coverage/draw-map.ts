import type { CoverageRow } from '../../api/coverage.ts';
import type { RowStore } from './row-store.ts';
import { placeOf, spanOf, type Tick, type View } from './time-view.ts';

/** Where things stand in the picture, in CSS pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
  /** Where the bar of a row begins, below the top of the row, and how high it is. */
  readonly barTop: number;
  readonly barHeight: number;
  /** Where cells begin and end. Names stand on the left, or above the bars on a narrow screen. */
  readonly plotLeft: number;
  readonly plotRight: number;
}

export function layoutOf(width: number, height: number): Layout {
  const isNarrow = width < 640;
  return isNarrow
    ? { width, height, rowHeight: 36, barTop: 17, barHeight: 15, plotLeft: 0, plotRight: width }
    : { width, height, rowHeight: 22, barTop: 3, barHeight: 16, plotLeft: 200, plotRight: width - 62 };
}

export interface Picture {
  readonly layout: Layout;
  readonly view: View;
  readonly rows: RowStore;
  readonly ticks: readonly Tick[];
  /** How far the rows are scrolled. */
  readonly scrollTop: number;
  /** The cell under the pointer or the keyboard. */
  readonly mark: { readonly row: number; readonly range: View } | undefined;
  readonly nameOf: (row: CoverageRow) => string;
  readonly shareOf: (row: CoverageRow) => string;
}

interface Paint {
  readonly [name: string]: string;
}

function readPaint(): Paint {
  const style = getComputedStyle(document.documentElement);
  const names = ['stored', 'part-least', 'part-most', 'gap', 'unwanted', 'text', 'muted', 'line', 'focus'];
  return Object.fromEntries(names.map((name) => [name, read(style, name)]));
}

function read(style: CSSStyleDeclaration, name: string): string {
  const isOfMap = !['text', 'muted', 'line', 'focus'].includes(name);
  return style.getPropertyValue(isOfMap ? `--map-${name}` : `--${name}`).trim();
}

/** Draws the rows that are seen. All edges are on whole pixels of the screen, so that they are crisp. */
export function drawMap(canvas: HTMLCanvasElement, picture: Picture): void {
  const { layout, scrollTop, rows } = picture;
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(layout.width * scale), Math.round(layout.height * scale)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const paint = readPaint();
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, layout.width, layout.height);
  drawTicks(pen, picture, paint);
  const hatch = hatchOf(pen, paint.unwanted ?? '', scale);
  const first = Math.floor(scrollTop / layout.rowHeight);
  const last = Math.min(rows.total - 1, Math.floor((scrollTop + layout.height) / layout.rowHeight));
  for (let index = first; index <= last; index += 1)
    drawRow(pen, picture, { index, paint, hatch, scale, top: index * layout.rowHeight - scrollTop });
}

function drawTicks(pen: CanvasRenderingContext2D, { layout, view, ticks }: Picture, paint: Paint): void {
  pen.fillStyle = paint.line ?? '';
  for (const { at } of ticks) {
    const x = layout.plotLeft + placeOf(view, at) * (layout.plotRight - layout.plotLeft);
    pen.fillRect(Math.round(x), 0, 1, layout.height);
  }
}

interface RowToDraw {
  readonly index: number;
  readonly paint: Paint;
  readonly hatch: CanvasPattern | string;
  readonly scale: number;
  readonly top: number;
}

function drawRow(pen: CanvasRenderingContext2D, picture: Picture, drawn: RowToDraw): void {
  const { layout, rows, mark } = picture;
  const { index, top, paint } = drawn;
  const known = rows.at(index);
  if (known === undefined) {
    pen.fillStyle = paint.line ?? '';
    pen.fillRect(layout.plotLeft, top + layout.barTop, layout.plotRight - layout.plotLeft, layout.barHeight);
    return;
  }
  drawWords(pen, picture, { row: known.row, top, paint });
  pen.save();
  pen.beginPath();
  pen.rect(layout.plotLeft, top, layout.plotRight - layout.plotLeft, layout.rowHeight);
  pen.clip();
  drawCells(pen, picture, { ...drawn, row: known.row, cellsOf: known.view });
  if (mark?.row === index) drawMark(pen, picture, { range: mark.range, top, paint });
  pen.restore();
}

function drawWords(
  pen: CanvasRenderingContext2D,
  { layout, nameOf, shareOf }: Picture,
  { row, top, paint }: { row: CoverageRow; top: number; paint: Paint },
): void {
  const isAbove = layout.plotLeft === 0;
  const middle = isAbove ? top + 9 : top + layout.rowHeight / 2;
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  pen.textBaseline = 'middle';
  pen.fillStyle = paint.text ?? '';
  const share = shareOf(row);
  const shareWidth = isAbove ? pen.measureText(share).width + 8 : 0;
  pen.textAlign = 'left';
  const room = isAbove ? layout.width - shareWidth : layout.plotLeft - 10;
  pen.fillText(cut(pen, nameOf(row), room), 0, middle);
  pen.textAlign = 'right';
  pen.fillStyle = (row.share ?? 1) < 1 ? (paint.text ?? '') : (paint.muted ?? '');
  pen.fillText(share, layout.width - 2, middle);
}

function cut(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  const perLetter = pen.measureText(text).width / text.length;
  let kept = text.slice(0, Math.max(1, Math.floor(room / perLetter) - 1));
  while (kept.length > 1 && pen.measureText(`${kept}…`).width > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}

function drawCells(
  pen: CanvasRenderingContext2D,
  { layout, view }: Picture,
  { row, cellsOf, top, paint, hatch, scale }: RowToDraw & { row: CoverageRow; cellsOf: View },
): void {
  const { cells, kept } = row;
  const width = layout.plotRight - layout.plotLeft;
  const cellMs = spanOf(cellsOf) / cells.length;
  const edge = (k: number) => {
    const x = layout.plotLeft + placeOf(view, cellsOf.from + k * cellMs) * width;
    return Math.round(x * scale) / scale;
  };
  const y = Math.round((top + layout.barTop) * scale) / scale;
  const shadeAt = (k: number) => shadeOf(cells[k] ?? null, kept?.[k] ?? 0);
  for (let k = 0; k < cells.length; ) {
    const shade = shadeAt(k);
    let end = k + 1;
    while (end < cells.length && shadeAt(end) === shade) end += 1;
    const [left, right] = [edge(k), edge(end)];
    if (right > layout.plotLeft && left < layout.plotRight)
      fill(pen, { shade, paint, hatch, box: [left, y, Math.max(right - left, 1 / scale), layout.barHeight] });
    k = end;
  }
}

/** Steps of the shade of a part. */
const PART_STEPS = 6;
type Shade = 'stored' | 'gap' | 'unwanted' | 'kept' | number;

/** The shade of a cell. A part has a number, the larger the more is missing. */
export function shadeOf(share: number | null, kept: number): Shade {
  if (share === null) return kept > 0 ? 'kept' : 'unwanted';
  if (share >= 1) return 'stored';
  return share <= 0 ? 'gap' : Math.ceil((1 - share) * PART_STEPS);
}

interface Filling {
  readonly shade: Shade;
  readonly paint: Paint;
  readonly hatch: CanvasPattern | string;
  readonly box: readonly [number, number, number, number];
}

function fill(pen: CanvasRenderingContext2D, { shade, paint, hatch, box }: Filling): void {
  if (shade === 'kept') {
    pen.globalAlpha = 0.45;
    pen.fillStyle = paint.stored ?? '';
    pen.fillRect(...box);
    pen.globalAlpha = 1;
  }
  if (shade === 'kept' || shade === 'unwanted') pen.fillStyle = hatch;
  else if (typeof shade === 'string') pen.fillStyle = paint[shade] ?? '';
  else {
    const most = Math.round((100 * (shade - 1)) / (PART_STEPS - 1));
    pen.fillStyle = paint['part-least'] ?? '';
    pen.fillRect(...box);
    pen.globalAlpha = most / 100;
    pen.fillStyle = paint['part-most'] ?? '';
  }
  pen.fillRect(...box);
  pen.globalAlpha = 1;
}

function drawMark(
  pen: CanvasRenderingContext2D,
  { layout, view }: Picture,
  { range, top, paint }: { range: View; top: number; paint: Paint },
): void {
  const width = layout.plotRight - layout.plotLeft;
  const left = layout.plotLeft + placeOf(view, range.from) * width;
  const right = layout.plotLeft + placeOf(view, range.to) * width;
  pen.strokeStyle = paint.focus ?? '';
  pen.lineWidth = 2;
  pen.strokeRect(left - 1, top + layout.barTop - 1, Math.max(4, right - left) + 2, layout.barHeight + 2);
}

/** Thin slanting lines on the ground of the page. */
function hatchOf(pen: CanvasRenderingContext2D, colour: string, scale: number): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const size = Math.round(6 * scale);
  Object.assign(tile, { width: size, height: size });
  const own = tile.getContext('2d');
  if (own === null) return colour;
  own.strokeStyle = colour;
  own.lineWidth = scale;
  own.beginPath();
  for (const shift of [-size, 0, size]) {
    own.moveTo(shift, size);
    own.lineTo(shift + size, 0);
  }
  own.stroke();
  const pattern = pen.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern ?? colour;
}

import type { Column } from './table.ts';
import { widthOf } from './text-width.ts';

/** The blanks between two columns. */
export const GAP = '  ';

interface Bounds {
  readonly index: number;
  readonly widest: number;
  readonly narrowest: number;
  readonly isFlexible: boolean;
  readonly drop: number;
}

/** The columns that are shown, by their index, and their widths. */
export type Fitted = readonly { readonly index: number; readonly width: number }[];

/**
 * Finds widths with which a table fits. Titles are wrapped first, then cells are cut or wrapped, and at last
 * whole columns are left out. The first column always stays.
 */
export function fitColumns(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  room: number,
): Fitted {
  let shown = columns.map((column, index) => boundsOf(column, index, cells));
  for (;;) {
    const fitted = shrink(shown, room - GAP.length * (shown.length - 1));
    if (fitted !== undefined) return fitted;
    const [first, ...others] = shown;
    const least = Math.min(...others.map(({ drop }) => drop));
    const dropped = others.findLast(({ drop }) => drop === least);
    if (first === undefined || dropped === undefined)
      return shown.map(({ index }) => ({ index, width: room }));
    shown = shown.filter((each) => each !== dropped);
  }
}

function boundsOf(
  { title, wrap, cut, drop = Number.POSITIVE_INFINITY }: Column,
  index: number,
  cells: readonly (readonly string[])[],
): Bounds {
  const content = cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), 0);
  const least = Math.min(content, wrap ?? cut ?? content);
  const word = Math.max(...title.split(' ').map(widthOf));
  return {
    index,
    widest: Math.max(content, widthOf(title)),
    narrowest: Math.max(least, word),
    isFlexible: least < content,
    drop,
  };
}

/** Takes width from the columns that have most to give. Returns undefined if all of them have too little. */
function shrink(shown: readonly Bounds[], room: number): Fitted | undefined {
  const columns = shown.map((bounds) => ({ ...bounds, width: bounds.widest }));
  let excess = columns.reduce((sum, { width }) => sum + width, -room);
  for (const isFlexible of [false, true])
    while (excess > 0) {
      const able = columns.filter((each) => each.isFlexible === isFlexible && each.width > each.narrowest);
      const widest = able.reduce(
        (best, each) => (each.width > best.width ? each : best),
        able[0] ?? { width: 0 },
      );
      if (!('index' in widest)) break;
      widest.width -= 1;
      excess -= 1;
    }
  return excess > 0 ? undefined : columns;
}

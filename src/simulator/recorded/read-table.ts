import type { PackedCells } from './column-signal.ts';
import { type CsvColumn, orderByTime, type TimeOrder } from './csv-column.ts';
import { ReplayError } from './csv-rows.ts';
import { proveDateOrder } from './date-order.ts';
import { type ReplayFile, type RowsRead, readRows } from './read-rows.ts';

export type { ReplayFile };

/** A column of values. */
export interface TableColumn {
  readonly name: string;
  readonly primitiveType: 'Double' | 'Long' | 'String';
  /** The number of cells that say that a value is missing. */
  readonly missing: number;
  /** The number of cells that are numbers, although the column is one of texts. */
  readonly numbers: number;
  /** The first text of a column that has numbers too. */
  readonly firstText: string | undefined;
  readonly cells: PackedCells;
}

export interface Table {
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** The row right below the header that holds the units of the columns, and no values. */
  readonly units?: readonly string[];
  readonly columns: readonly TableColumn[];
}

/**
 * Reads a CSV file into packed columns. Throws a `ReplayError` that names the file, the line and the column.
 */
export async function readTable(file: ReplayFile): Promise<Table> {
  const first = await readRows(file, new Set());
  // A cell that was read as a number has lost its spelling.
  const spelt = first.columns.filter(({ isText, hasLongs }) => isText || hasLongs).map(({ name }) => name);
  const mustReread = first.columns.some((column) => column.mustReread || column.hasLongs);
  const reading = mustReread ? await readRows(file, new Set(spelt)) : first;
  const order = orderByTime(timesOf(file, reading));
  const columns = reading.columns
    .filter((_column, place) => !reading.timeAt.includes(place))
    .map((column) => packColumn(column, order));
  const { times } = order;
  const { units } = reading;
  const range = { firstMs: times[0] ?? 0, lastMs: times.at(-1) ?? 0 };
  return { rows: times.length, ...range, ...(units && { units }), columns };
}

function packColumn(column: CsvColumn, order: TimeOrder): TableColumn {
  const { name, missing, numbers, firstText, hasLongs, isLong } = column;
  const cells = column.pack(order);
  const isText = firstText !== undefined;
  const counts = { missing, numbers, firstText };
  if (isText || !hasLongs) return { name, primitiveType: isText ? 'String' : 'Double', ...counts, cells };
  const texts = cells.texts?.map((text) => column.valueOf(String(text)));
  return { name, primitiveType: isLong ? 'Long' : 'Double', ...counts, cells: { ...cells, texts } };
}

/**
 * Returns the times of all rows. The order of day and month is the one that was asked for, else the one that
 * the file proves. Throws a `ReplayError` if the file proves no order, or if a row has no date in that order.
 */
function timesOf(file: ReplayFile, { times, slashed }: RowsRead): Float64Array {
  const packed = { mdy: times.mdy.pack(), dmy: times.dmy.pack() };
  const order = slashed ? (file.dateOrder ?? proveDateOrder(packed)) : 'mdy';
  const hint = 'say --replay-date-order dmy (day first) or mdy (month first)';
  if (order === undefined)
    throw new ReplayError(file.path, slashed?.line, `${slashed?.cell} can be two dates; ${hint}`);
  const wrong = packed[order].findIndex(Number.isNaN);
  if (wrong >= 0)
    throw new ReplayError(
      file.path,
      undefined,
      `row ${wrong + 1} below the header has no date in ${order}; ${hint}`,
    );
  return packed[order];
}

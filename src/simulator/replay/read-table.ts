import type { PackedCells } from './column-signal.ts';
import { CsvColumn, orderByTime, type TimeOrder } from './csv-column.ts';
import { columnNames, findTimeColumns } from './csv-header.ts';
import { type CsvForm, type CsvRow, ReplayError, readCsvRows } from './csv-rows.ts';
import { csvTimeForms, csvTimeReader, type DateOrder, slashedDate } from './csv-time.ts';
import { proveDateOrder } from './date-order.ts';
import { GrowingNumbers } from './growing-numbers.ts';

/** A CSV file to replay. */
export interface ReplayFile extends CsvForm {
  readonly path: string;
  /** The object that gets the columns as properties; called like the file without its ending by default. */
  readonly object?: string | undefined;
  /** Name of the column of times, where neither its name nor its place tells. */
  readonly timeColumn?: string | undefined;
  /** IANA zone of times without one, UTC by default. */
  readonly zone?: string | undefined;
  /** Order of day and month in dates with slashes, where the file does not prove it. */
  readonly dateOrder?: DateOrder | undefined;
}

/** A column of values. */
export interface TableColumn {
  readonly name: string;
  readonly primitiveType: 'Double' | 'Long' | 'String';
  /** Cells that say that a value is missing. */
  readonly missing: number;
  /** Cells of a column of texts that are numbers. */
  readonly numbers: number;
  /** The first text of a column that has numbers too. */
  readonly firstText: string | undefined;
  readonly cells: PackedCells;
}

export interface Table {
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly columns: readonly TableColumn[];
}

/** A file while it is read. */
interface Reading {
  /** One place, or those of date and time of day. */
  readonly timeAt: readonly number[];
  readonly times: Record<DateOrder, GrowingNumbers>;
  /** The first cell whose order of day and month is not in the text. */
  slashed: { line: number; cell: string } | undefined;
  isRightBelow: boolean;
  /** One per column; those of the times stay empty. */
  readonly columns: readonly CsvColumn[];
}

/** Reads a CSV file into packed columns. Throws a `ReplayError` that names the file, and line and column where there are some. */
export async function readTable(file: ReplayFile): Promise<Table> {
  const first = await read(file, new Set());
  // The spelling of a cell that was read as a number is gone.
  const spelt = first.columns.filter(({ isText, hasLongs }) => isText || hasLongs).map(({ name }) => name);
  const mustReread = first.columns.some((column) => column.mustReread || column.hasLongs);
  const reading = mustReread ? await read(file, new Set(spelt)) : first;
  const order = orderByTime(timesOf(file, reading));
  const columns = reading.columns
    .filter((_column, place) => !reading.timeAt.includes(place))
    .map((column) => packColumn(column, order));
  const { times } = order;
  return { rows: times.length, firstMs: times[0] ?? 0, lastMs: times.at(-1) ?? 0, columns };
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

/** The times of all rows in the order of day and month that was asked for, else the one that the file proves. */
function timesOf(file: ReplayFile, { times, slashed }: Reading): Float64Array {
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

type TimeReader = Record<DateOrder, (text: string) => number | undefined>;

async function read(file: ReplayFile, texts: ReadonlySet<string>): Promise<Reading> {
  const timeOf = timeReader(file);
  const isTime = (cell: string) => (timeOf.mdy(cell) ?? timeOf.dmy(cell)) !== undefined;
  let names: string[] | undefined;
  let reading: Reading | undefined;
  await readCsvRows(file.path, file, (row) => {
    if (!names) {
      names = explain(file, row.line, () => columnNames(row.cells));
      return;
    }
    reading ??= begin(file, { names, texts, row, isTime });
    addRow(file, { row, reading, timeOf });
  });
  if (!reading)
    throw new ReplayError(file.path, undefined, names ? 'has no row below its header' : 'is empty');
  return reading;
}

function timeReader({ path, zone = 'UTC' }: ReplayFile): TimeReader {
  try {
    const timeOf = { mdy: csvTimeReader(zone, 'mdy'), dmy: csvTimeReader(zone, 'dmy') };
    timeOf.mdy('2000-01-01');
    return { mdy: csvTimeReader(zone, 'mdy'), dmy: csvTimeReader(zone, 'dmy') };
  } catch {
    throw new ReplayError(path, undefined, `its times cannot be read in ${zone}, which is no IANA time zone`);
  }
}

function begin(
  file: ReplayFile,
  found: { names: string[]; texts: ReadonlySet<string>; row: CsvRow; isTime: (cell: string) => boolean },
): Reading {
  const { names, texts, row, isTime } = found;
  const clues = { wanted: file.timeColumn, firstRow: row.cells, isTime };
  const timeAt = explain(file, undefined, () => findTimeColumns(names, clues));
  if (names.length === timeAt.length)
    throw new ReplayError(file.path, undefined, 'has no column beside its times');
  const columns = names.map((name) => new CsvColumn(name, texts.has(name), row.takesCommas));
  const times = { mdy: new GrowingNumbers(), dmy: new GrowingNumbers() };
  return { timeAt, times, slashed: undefined, isRightBelow: true, columns };
}

function addRow(
  file: ReplayFile,
  { row, reading, timeOf }: { row: CsvRow; reading: Reading; timeOf: TimeReader },
): void {
  const { timeAt, times, columns } = reading;
  const { line, cells } = row;
  if (cells.length !== columns.length)
    throw new ReplayError(
      file.path,
      line,
      `has ${cells.length} cells, but the header names ${columns.length} columns`,
    );
  const cell = timeAt.map((place) => cells[place]?.trim()).join(' ');
  const [mdy, dmy] = [timeOf.mdy(cell), timeOf.dmy(cell)];
  const isUnits = reading.isRightBelow && holdsUnits(cells);
  reading.isRightBelow = false;
  if (mdy === undefined && dmy === undefined) {
    if (isUnits) return;
    const names = timeAt.map((place) => columns[place]?.name).join(' and ');
    const problem = `${JSON.stringify(cell)} is no time; understood are ${csvTimeForms}`;
    throw new ReplayError(file.path, line, `column ${names}: ${problem}`);
  }
  if (slashedDate(cell)) reading.slashed ??= { line, cell };
  times.mdy.push(mdy ?? Number.NaN);
  times.dmy.push(dmy ?? Number.NaN);
  for (let place = 0; place < columns.length; place += 1)
    if (!timeAt.includes(place)) columns[place]?.add(cells[place] ?? '');
}

/** Whether a row right below the header holds units such as `°C`: texts without any number or time. */
function holdsUnits(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.trim() !== '') && cells.every((cell) => !/^\s*[+-]?[.,]?\d/.test(cell));
}

/** Adds file and line to what is wrong with the header. */
function explain<T>(file: ReplayFile, line: number | undefined, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw new ReplayError(file.path, line, error instanceof Error ? error.message : String(error));
  }
}

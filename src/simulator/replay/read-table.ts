import type { PackedCells } from './column-signal.ts';
import { CsvColumn, orderByTime } from './csv-column.ts';
import { columnNames, findTimeColumn } from './csv-header.ts';
import { type CsvRow, ReplayError, readCsvRows } from './csv-rows.ts';
import { csvTimeForms, csvTimeReader } from './csv-time.ts';
import { GrowingNumbers } from './growing-numbers.ts';

/** A CSV file to replay. */
export interface ReplayFile {
  readonly path: string;
  /** The object that gets the columns as properties; called like the file without its ending by default. */
  readonly object?: string | undefined;
  /** Name of the column of times, where neither its name nor its place tells. */
  readonly timeColumn?: string | undefined;
  /** IANA zone of times without one, UTC by default. */
  readonly zone?: string | undefined;
}

/** A column of values. */
export interface TableColumn {
  readonly name: string;
  readonly primitiveType: 'Double' | 'String';
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
  readonly timeAt: number;
  readonly times: GrowingNumbers;
  /** One per column; the one of the times stays empty. */
  readonly columns: readonly CsvColumn[];
}

/** Reads a CSV file into packed columns. Throws a `ReplayError` that names the file, and line and column where there are some. */
export async function readTable(file: ReplayFile): Promise<Table> {
  const first = await read(file, new Set());
  // Of cells that were read as numbers the spelling is gone.
  const texts = first.columns.filter(({ isText }) => isText).map(({ name }) => name);
  const reading = first.columns.some(({ mustReread }) => mustReread)
    ? await read(file, new Set(texts))
    : first;
  const order = orderByTime(reading.times.pack());
  const columns = reading.columns
    .filter((_column, place) => place !== reading.timeAt)
    .map((column) => ({
      name: column.name,
      primitiveType: column.isText ? ('String' as const) : ('Double' as const),
      cells: column.pack(order),
    }));
  const { times } = order;
  return { rows: times.length, firstMs: times[0] ?? 0, lastMs: times.at(-1) ?? 0, columns };
}

async function read(file: ReplayFile, texts: ReadonlySet<string>): Promise<Reading> {
  const timeOf = timeReader(file);
  let names: string[] | undefined;
  let reading: Reading | undefined;
  await readCsvRows(file.path, (row) => {
    if (!names) {
      names = explain(file, row.line, () => columnNames(row.cells));
      return;
    }
    reading ??= begin(file, { names, texts, row, isTime: (cell) => timeOf(cell) !== undefined });
    addRow(file, { row, reading, timeOf });
  });
  if (!reading)
    throw new ReplayError(file.path, undefined, names ? 'has no row below its header' : 'is empty');
  return reading;
}

function timeReader(file: ReplayFile): (text: string) => number | undefined {
  const { path, zone = 'UTC' } = file;
  const timeOf = csvTimeReader(zone);
  try {
    timeOf('2000-01-01');
  } catch {
    throw new ReplayError(path, undefined, `its times cannot be read in ${zone}, which is no IANA time zone`);
  }
  return timeOf;
}

function begin(
  file: ReplayFile,
  found: { names: string[]; texts: ReadonlySet<string>; row: CsvRow; isTime: (cell: string) => boolean },
): Reading {
  const { names, texts, row, isTime } = found;
  const clues = { wanted: file.timeColumn, firstRow: row.cells, isTime };
  const timeAt = explain(file, undefined, () => findTimeColumn(names, clues));
  if (names.length === 1) throw new ReplayError(file.path, undefined, 'has no column beside its times');
  const columns = names.map((name) => new CsvColumn(name, texts.has(name)));
  return { timeAt, times: new GrowingNumbers(), columns };
}

function addRow(
  file: ReplayFile,
  { row, reading, timeOf }: { row: CsvRow; reading: Reading; timeOf: (text: string) => number | undefined },
): void {
  const { timeAt, times, columns } = reading;
  const { line, cells } = row;
  if (cells.length !== columns.length)
    throw new ReplayError(
      file.path,
      line,
      `has ${cells.length} cells, but the header names ${columns.length} columns`,
    );
  const cell = cells[timeAt] ?? '';
  const time = timeOf(cell);
  if (time === undefined)
    throw new ReplayError(
      file.path,
      line,
      `column ${columns[timeAt]?.name}: ${JSON.stringify(cell)} is no time; understood are ${csvTimeForms}`,
    );
  times.push(time);
  for (let place = 0; place < columns.length; place += 1)
    if (place !== timeAt) columns[place]?.add(cells[place] ?? '');
}

/** Adds file and line to what is wrong with the header. */
function explain<T>(file: ReplayFile, line: number | undefined, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw new ReplayError(file.path, line, error instanceof Error ? error.message : String(error));
  }
}

import { CsvColumn } from './csv-column.ts';
import { columnNames, findTimeColumns } from './csv-header.ts';
import { type CsvForm, type CsvRow, ReplayError, readCsvRows } from './csv-rows.ts';
import { CSV_TIME_FORMS, csvTimeReader, type DateOrder, slashedDate } from './csv-time.ts';
import { GrowingNumbers } from './growing-numbers.ts';

/** A CSV file to replay. */
export interface ReplayFile extends CsvForm {
  readonly path: string;
  /**
   * The object that gets the columns as properties. By default it is called like the file without its ending.
   */
  readonly object?: string | undefined;
  /** The name of the column of times, if neither its name nor its place tells. */
  readonly timeColumn?: string | undefined;
  /** The IANA zone of times without a zone. The default is UTC. */
  readonly zone?: string | undefined;
  /** The order of day and month in dates with slashes, if the file does not prove it. */
  readonly dateOrder?: DateOrder | undefined;
}

/** A file while it is read. */
export interface RowsRead {
  /** The place of the time column, or the places of date and time of day. */
  readonly timeAt: readonly number[];
  readonly times: Record<DateOrder, GrowingNumbers>;
  /** The first cell that does not tell the order of day and month. */
  slashed: { line: number; cell: string } | undefined;
  /** The cells of a row of units. */
  units: readonly string[] | undefined;
  isRightBelow: boolean;
  /** One entry per column. The entries of the time columns stay empty. */
  readonly columns: readonly CsvColumn[];
}

type TimeReader = Record<DateOrder, (text: string) => number | undefined>;

/** Reads all rows of a file. `texts` names the columns whose spelling is kept. Throws a `ReplayError`. */
export async function readRows(file: ReplayFile, texts: ReadonlySet<string>): Promise<RowsRead> {
  const timeOf = timeReader(file);
  const isTime = (cell: string) => (timeOf.mdy(cell) ?? timeOf.dmy(cell)) !== undefined;
  let names: string[] | undefined;
  let reading: RowsRead | undefined;
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
): RowsRead {
  const { names, texts, row, isTime } = found;
  const clues = { wanted: file.timeColumn, firstRow: row.cells, isTime };
  const timeAt = explain(file, undefined, () => findTimeColumns(names, clues));
  const title = timeAt.map((place) => names[place]).join(' ');
  if (isTime(title))
    throw new ReplayError(
      file.path,
      1,
      `${JSON.stringify(title)} is a time, where the name of its column should be: the file has no header. Add a first line that names the columns`,
    );
  if (names.length === timeAt.length)
    throw new ReplayError(file.path, undefined, 'has no column besides its times');
  const columns = names.map((name) => new CsvColumn(name, texts.has(name), row.takesCommas));
  const times = { mdy: new GrowingNumbers(), dmy: new GrowingNumbers() };
  return { timeAt, times, slashed: undefined, units: undefined, isRightBelow: true, columns };
}

function addRow(
  file: ReplayFile,
  { row, reading, timeOf }: { row: CsvRow; reading: RowsRead; timeOf: TimeReader },
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
    if (isUnits) {
      reading.units = cells.map((unit) => unit.trim());
      return;
    }
    const names = timeAt.map((place) => columns[place]?.name).join(' and ');
    const problem = `${JSON.stringify(cell)} is no time; understood are ${CSV_TIME_FORMS}`;
    throw new ReplayError(file.path, line, `column ${names}: ${problem}`);
  }
  if (slashedDate(cell)) reading.slashed ??= { line, cell };
  times.mdy.push(mdy ?? Number.NaN);
  times.dmy.push(dmy ?? Number.NaN);
  for (let place = 0; place < columns.length; place += 1)
    if (!timeAt.includes(place)) columns[place]?.add(cells[place] ?? '');
}

/** Returns true if a row right below the header holds units such as `°C`: texts without a number or time. */
function holdsUnits(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.trim() !== '') && cells.every((cell) => !/^\s*[+-]?[.,]?\d/.test(cell));
}

/** Looks at the header. Adds file and line to an error about it. */
function explain<T>(file: ReplayFile, line: number | undefined, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw new ReplayError(file.path, line, error instanceof Error ? error.message : String(error));
  }
}

import { CSV_TIME_FORMS } from './csv-time.ts';

const timeNames = [
  'time',
  'timestamp',
  'datetime',
  'date',
  'ts',
  'datum',
  '时间',
  '时间戳',
  '日期',
  '日期时间',
  '采集时间',
];
const DATE_ONLY = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/;
const CLOCK_ONLY = /^\d{1,2}:\d\d(:\d\d(\.\d+)?)?( ?[AP]M)?$/i;

/**
 * Finds the places of the time columns: one column, or a column of dates and the column of times of day that
 * belongs to it.
 */
export function findTimeColumns(names: readonly string[], clues: TimeColumnClues): number[] {
  const { wanted, firstRow } = clues;
  const pair = wanted !== undefined && !names.includes(wanted) ? wanted.split('+') : [];
  if (pair.length === 2 && pair.every((name) => names.includes(name)))
    return pair.map((name) => names.indexOf(name));
  const find = (form: RegExp) => firstRow.findIndex((cell) => form.test(cell.trim()));
  const [date, clock] = [find(DATE_ONLY), find(CLOCK_ONLY)];
  if (wanted === undefined && date >= 0 && clock >= 0) return [date, clock];
  return [findTimeColumn(names, clues)];
}

/**
 * Returns the names of the columns as properties. They are trimmed, and a third column without a name is
 * `column_3`. Throws if two are equal.
 */
export function columnNames(header: readonly string[]): string[] {
  const names = header.map((name, place) => (name.trim() === '' ? `column_${place + 1}` : name.trim()));
  names.forEach((name, place) => {
    const first = names.indexOf(name);
    if (first < place) throw new Error(`columns ${first + 1} and ${place + 1} are both called ${name}`);
  });
  return names;
}

/**
 * Finds the column of the times. It is the column that was asked for, else the only one with a usual name
 * (time, timestamp, date, …), in capital or small letters. Else it is the first column, if the first row has
 * a time there. Throws if no column or several columns can be meant.
 */
function findTimeColumn(names: readonly string[], { wanted, firstRow, isTime }: TimeColumnClues): number {
  if (wanted !== undefined) {
    if (names.includes(wanted)) return names.indexOf(wanted);
    throw new Error(`has no column ${wanted}; its columns are ${names.join(', ')}`);
  }
  const called = names.filter((name) => timeNames.includes(name.toLowerCase().replace(/[ _-]/g, '')));
  const [only] = called;
  if (called.length > 1)
    throw new Error(`times could be in ${called.join(' or ')}: say which (--replay-time-column)`);
  if (only !== undefined) return names.indexOf(only);
  const cell = firstRow[0] ?? '';
  if (isTime(cell)) return 0;
  throw new Error(
    `no column is called ${timeNames.join(', ')}, and the first, ${names[0]}, begins with ${JSON.stringify(cell)}, which is no time: ` +
      `say which has the times (--replay-time-column); understood are ${CSV_TIME_FORMS}`,
  );
}

export interface TimeColumnClues {
  readonly wanted: string | undefined;
  /** The cells of the first row below the header. */
  readonly firstRow: readonly string[];
  readonly isTime: (cell: string) => boolean;
}

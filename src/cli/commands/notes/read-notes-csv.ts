import { CsvError } from 'csv-parse';
import { type Info, parse } from 'csv-parse/sync';
import { keyOf, NOTE_COLUMNS, NOTE_NUMBERS, type Note, type NoteColumn } from '../../../load/notes/note.ts';
import type { GivenNotes } from '../../../load/notes/plan-notes.ts';
import { nearest } from '../../../nearest.ts';
import { decodeCsv, NotText } from './decode-csv.ts';

/** The notes of a file, each with its line, and what is wrong with the file. */
export interface NotesFile extends GivenNotes {
  /** The line of each note, counted from 1. */
  readonly lines: readonly number[];
  /** Sentences with their line. The file can be used only if there are none. */
  readonly problems: readonly string[];
}

/** All names that a column may have. */
const HEADINGS = ['object', 'property', ...NOTE_COLUMNS] as const;
type Heading = (typeof HEADINGS)[number];

/** The characters that may divide cells. Excel takes the one of its language. */
const SEPARATORS = [';', '\t', ','];

interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Reads a file of notes. Bytes that are no CSV are a problem of the file, too. */
export function readNotesCsv(bytes: Uint8Array): NotesFile {
  try {
    // One kind of line break, so that lines are counted as editors count them.
    return readText(decodeCsv(bytes).replace(/\r\n?/g, '\n'));
  } catch (error) {
    if (error instanceof NotText) return refused(error.message);
    if (error instanceof CsvError)
      return refused(`line ${(error as CsvError & { lines?: number }).lines}: ${error.message}`);
    throw error;
  }
}

function refused(...problems: string[]): NotesFile {
  return { notes: [], columns: [], lines: [], problems };
}

function readText(text: string): NotesFile {
  const { separator, rows } = readRows(text);
  const [head, ...body] = rows;
  if (head === undefined) return refused('is empty: the first line names the columns');
  const names = head.cells.map((name) => name.toLowerCase().replace(/[\s-]+/g, '_'));
  const wrong = checkHeadings(names, separator).map((problem) => `line ${head.line}: ${problem}`);
  if (wrong.length > 0) return refused(...wrong);
  if (body.length === 0) return refused('has no notes below the names of its columns');
  const headings = names as Heading[];
  const parseNumber = numberParser(body, { headings, separator });
  const columns = NOTE_COLUMNS.filter((column) => headings.includes(column));
  const problems: string[] = [];
  const notes: Note[] = [];
  const seen = new Map<string, number>();
  for (const row of body) {
    const tell = (problem: string) => problems.push(`line ${row.line}: ${problem}`);
    const note = readRow(row, { headings, parseNumber, tell });
    const earlier = seen.get(keyOf(note));
    if (earlier !== undefined) tell(`${note.object}.${note.property} stands in line ${earlier} already`);
    seen.set(keyOf(note), row.line);
    notes.push(note);
  }
  return { notes, columns, lines: body.map(({ line }) => line), problems };
}

/** Divides a text into rows. Rows without any cell are left out. */
function readRows(text: string): { separator: string; rows: CsvRow[] } {
  // Some spreadsheets name the separator in a line before the first.
  const [first, named] = /^sep=(.)\n/i.exec(text) ?? [];
  const separator = named ?? detectSeparator(text);
  const parsed = parse(text.slice(first?.length ?? 0), {
    delimiter: separator,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  }) as unknown as { record: string[]; info: Info }[];
  const skipped = first === undefined ? 0 : 1;
  const rows = parsed.map(({ record, info }) => ({ line: info.lines + skipped, cells: record }));
  return { separator, rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')) };
}

/** Finds the separator that divides the first line into the most names of columns. */
function detectSeparator(text: string): string {
  const [head = ''] = text.trimStart().split('\n', 1);
  const countNames = (separator: string) =>
    head
      .split(separator)
      .filter((cell) => HEADINGS.some((name) => name === cell.replaceAll('"', '').trim().toLowerCase()))
      .length;
  const [best] = [...SEPARATORS].sort((a, b) => countNames(b) - countNames(a));
  return best !== undefined && countNames(best) > 0 ? best : ',';
}

function checkHeadings(names: readonly string[], separator: string): string[] {
  const known: readonly string[] = HEADINGS;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === names.length)
    return [`no name of a column is known here, divided by "${separator}"; columns are ${known.join(', ')}`];
  return [
    ...unknown.map((name) => {
      const guess = nearest(name, known);
      const advice = guess === undefined ? `columns are ${known.join(', ')}` : `did you mean ${guess}?`;
      return `there is no column "${name}"; ${advice}`;
    }),
    ...names
      .filter((name, k) => known.includes(name) && names.indexOf(name) < k)
      .map((name) => `two columns are called ${name}`),
    ...['object', 'property']
      .filter((name) => !names.includes(name))
      .map((name) => `the column ${name} is missing`),
  ];
}

interface RowReading {
  readonly headings: readonly Heading[];
  readonly parseNumber: (cell: string) => number | string;
  readonly tell: (problem: string) => void;
}

function readRow({ cells }: CsvRow, { headings, parseNumber, tell }: RowReading): Note {
  if (cells.slice(headings.length).some((cell) => cell !== ''))
    tell(`has ${cells.length} cells for ${headings.length} columns; quote cells that hold a separator`);
  const cell = (name: Heading) => cells[headings.indexOf(name)] ?? '';
  const text = (name: Heading) => cell(name) || null;
  const number = (name: NoteColumn): number | null => {
    if (cell(name) === '') return null;
    const value = parseNumber(cell(name));
    if (typeof value === 'number') return value;
    tell(`${name} is ${JSON.stringify(cell(name))}, ${value}`);
    return null;
  };
  const [object, property] = [cell('object'), cell('property')];
  if (object === '' || property === '') tell(`${object === '' ? 'object' : 'property'} is empty`);
  const [low, high, target] = [number('low'), number('high'), number('target')];
  if (low !== null && high !== null && low > high) tell(`low ${low} is above high ${high}`);
  return {
    ...{ object, property, low, high, target },
    ...{ unit: text('unit'), display_name: text('display_name'), comment: text('comment') },
  };
}

const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?$/;
/** The mark in such a number may divide decimals or thousands: `1.500`. */
const TWO_MEANINGS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** Makes the parser of the numbers of a file. The parser returns the reason where a cell is no number. */
function numberParser(
  rows: readonly CsvRow[],
  { headings, separator }: { readonly headings: readonly Heading[]; readonly separator: string },
): (cell: string) => number | string {
  const places = NOTE_NUMBERS.map((name) => headings.indexOf(name)).filter((place) => place >= 0);
  const numbers = rows.flatMap(({ cells }) => places.map((place) => cells[place] ?? ''));
  const mark = separator === ',' ? '.' : findDecimalMark(numbers, separator);
  return (cell) => {
    if (!NUMBER.test(cell)) return 'which is no number; leave out units, blanks and separators of thousands';
    const own = /[.,]/.exec(cell)?.[0];
    if (own !== undefined && mark === undefined)
      return 'which has two meanings: write it without thousands, or with another number of decimals';
    if (own !== undefined && own !== mark)
      return separator === ','
        ? 'with a decimal comma: divide the cells by semicolons, or write a point'
        : `while decimals are divided by "${mark}" elsewhere in the file`;
    const value = Number(cell.replace(',', '.'));
    return Number.isFinite(value) ? value : 'which is too large';
  };
}

/**
 * Finds the mark of decimals in a file whose cells are not divided by commas. A number with one meaning tells
 * the mark. Else it is the comma of a file with semicolons. Returns undefined if nothing tells the mark.
 */
function findDecimalMark(numbers: readonly string[], separator: string): string | undefined {
  const plain = numbers.filter((cell) => NUMBER.test(cell));
  const told = plain.filter((cell) => !TWO_MEANINGS.test(cell));
  const has = (cells: readonly string[], mark: string) => cells.some((cell) => cell.includes(mark));
  if (has(told, ',') || (separator === ';' && has(plain, ',') && !has(told, '.'))) return ',';
  return has(told, '.') ? '.' : undefined;
}

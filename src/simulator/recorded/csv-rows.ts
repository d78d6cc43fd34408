import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { detectSeparator, separators } from './csv-separator.ts';
import { decodeFile, EncodingError, readSample } from './csv-text.ts';

/** A row of a CSV file. */
export interface CsvRow {
  /** The line in the file, from 1. It is the last line of a row of several lines. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether a comma may divide decimals, since the separator is another character. */
  readonly takesCommas: boolean;
}

/** A CSV file cannot be replayed. The message names the file, the line, and what is wrong. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
  constructor(path: string, line: number | undefined, problem: string) {
    super(line === undefined ? `${path}: ${problem}` : `${path}, line ${line}: ${problem}`);
  }
}

export interface CsvForm {
  /** A label of `TextDecoder`, by default UTF-8. A byte-order mark in the file counts more. */
  readonly encoding?: string | undefined;
  /** `comma`, `semicolon`, `tab` or `blank`. By default the first lines tell the separator. */
  readonly separator?: string | undefined;
}

/**
 * Reads the rows of a CSV file one by one, from the header on. Empty lines, lines that begin with `#`, and
 * rows without any cell are left out. Throws a `ReplayError` if the file cannot be read or is no CSV.
 */
export async function readCsvRows(path: string, form: CsvForm, take: (row: CsvRow) => void): Promise<void> {
  try {
    const { encoding, text } = await readSample(path, form.encoding);
    const delimiter = separatorOf(form) ?? detectSeparator(text);
    const isBlank = delimiter === ' ';
    const parser = parse({
      bom: true,
      delimiter,
      comment: '#',
      comment_no_infix: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record(given: string[], { lines }) {
        const cells = isBlank ? given.filter((cell) => cell !== '') : given;
        if (cells.some((cell) => cell.trim() !== ''))
          take({ line: lines, cells, takesCommas: delimiter !== ',' });
        return null;
      },
    });
    // No record comes out, but the stream ends only if somebody reads it.
    parser.resume();
    await pipeline(Readable.from(decodeFile(path, encoding)), parser);
  } catch (error) {
    throw readable(path, error);
  }
}

function separatorOf({ separator }: CsvForm): string | undefined {
  if (separator === undefined || Object.values(separators).includes(separator)) return separator;
  if (Object.hasOwn(separators, separator)) return separators[separator];
  throw new EncodingError(
    `there is no separator ${separator}; --replay-separator takes ${Object.keys(separators).join(', ')}`,
  );
}

function readable(path: string, error: unknown): unknown {
  if (error instanceof EncodingError) return new ReplayError(path, undefined, error.message);
  if (error instanceof CsvError) {
    const line = Number((error as CsvError & { lines?: unknown }).lines);
    return new ReplayError(path, Number.isNaN(line) ? undefined : line, `is no CSV: ${error.message}`);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return new ReplayError(path, undefined, 'there is no such file');
  if (code === 'EISDIR') return new ReplayError(path, undefined, 'is a folder, not a CSV file');
  if (code === 'EACCES') return new ReplayError(path, undefined, 'may not be read by this user');
  return error;
}

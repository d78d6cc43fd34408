import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';

/** A row of a CSV file. */
export interface CsvRow {
  /** In the file, from 1; the last one of a row of several lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A CSV file cannot be replayed: the message names it, the line, and what is wrong. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
  constructor(path: string, line: number | undefined, problem: string) {
    super(line === undefined ? `${path}: ${problem}` : `${path}, line ${line}: ${problem}`);
  }
}

/**
 * Reads the rows of a CSV file (commas, quotes, UTF-8) one by one, the header among them; empty lines are left out. Throws a
 * `ReplayError` if the file cannot be read or is no CSV.
 */
export async function readCsvRows(path: string, take: (row: CsvRow) => void): Promise<void> {
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    on_record(cells: string[], { lines }) {
      take({ line: lines, cells });
      return null;
    },
  });
  // No record comes out; the stream ends only if somebody reads it.
  parser.resume();
  try {
    await pipeline(createReadStream(path), parser);
  } catch (error) {
    throw readable(path, error);
  }
}

function readable(path: string, error: unknown): unknown {
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

import { csvCell } from '../../../csv-cell.ts';
import { UsageError } from '../../../errors.ts';
import { NOTE_COLUMNS, type Note } from '../../../load/notes/note.ts';
import { readNotes } from '../../../load/notes/store-notes.ts';
import { plural } from '../../../sync/count-text.ts';
import { type CommonOptions, type Io, print, printData, say } from '../../io.ts';
import { openSessionDatabase, withSession } from '../../open/session.ts';
import { writeWhole } from '../../output/write-file.ts';

/** The characters that may divide cells, by their names. */
export const separators = { comma: ',', semicolon: ';' } as const;

export interface ExportNotesOptions extends CommonOptions {
  readonly output?: string;
  readonly separator: keyof typeof separators;
}

/** Runs `plantsync notes export`: writes all notes as CSV that `plantsync notes import` takes back. */
export async function exportNotes(io: Io, options: ExportNotesOptions): Promise<number> {
  const { output, separator } = options;
  if (options.json && output === undefined)
    throw new UsageError(
      'usage.conflicting_options',
      '--json prints a summary where the notes go: give --output FILE as well, or ask plantsync notes list --json',
    );
  return withSession(io, options, async (session) => {
    const { db, schemas } = await openSessionDatabase(io, session);
    const notes = await readNotes(db, schemas.data);
    const lines = writeCsv(notes, separators[separator]);
    if (output === undefined) await printData(io, lines);
    else await writeWhole(output, lines, io.signal);
    const told = `${plural(notes.length, 'note')}${output === undefined ? '' : ` in ${output}`}`;
    if (options.json) print(io, options, { json: { notes: notes.length, output }, lines: () => [] });
    else say(io, `${told}\n`);
    return 0;
  });
}

/** Any separator is quoted, so that the cells stay whole if another one is taken for it. */
const NEEDS_QUOTES = /["\r\n,;\t]|^\s|\s$/;

/**
 * Yields the lines of the file. The mark at the beginning tells Excel that the file is UTF-8. Where Excel
 * divides cells by semicolons, its numbers have decimal commas.
 */
async function* writeCsv(notes: readonly Note[], separator: string): AsyncGenerator<string> {
  const cell = (value: string | number | null): string => {
    if (value === null) return '';
    if (typeof value === 'number') return separator === ';' ? String(value).replace('.', ',') : String(value);
    return csvCell(value, NEEDS_QUOTES);
  };
  const begin = separator === ';' ? '\ufeff' : '';
  yield `${begin}${['object', 'property', ...NOTE_COLUMNS].join(separator)}\r\n`;
  for (const note of notes)
    yield `${[note.object, note.property, ...NOTE_COLUMNS.map((column) => note[column])].map(cell).join(separator)}\r\n`;
}

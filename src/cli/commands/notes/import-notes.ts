import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from '../../../errors.ts';
import { countNoted } from '../../../load/notes/count-noted.ts';
import { type NotesPlan, planNotes } from '../../../load/notes/plan-notes.ts';
import { lockNotes, readNotes, writeNotes } from '../../../load/notes/store-notes.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { plural } from '../../../sync/count-text.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import type { OpenDatabase } from '../../open/open-connections.ts';
import { openSessionDatabase, withSession } from '../../open/session.ts';
import { describeNameless } from './notes.ts';
import { type NotesFile, readNotesCsv } from './read-notes-csv.ts';

export interface ImportNotesOptions extends CommonOptions {
  readonly dryRun: boolean;
  readonly deleteMissing: boolean;
}

/** The most problems of a file that are told. */
const MAX_PROBLEMS = 20;

/**
 * Runs `plantsync notes import`: brings the notes of a CSV file into the database, all of them or none. A
 * note for a property that is not known is taken, and told.
 */
export async function importNotes(io: Io, path: string, options: ImportNotesOptions): Promise<number> {
  const file = readNotesCsv(path === '-' ? await buffer(io.stdin) : await readFile(path));
  requireNotes(path, file);
  return withSession(io, options, async (session) => {
    const opened = await openSessionDatabase(io, session);
    const plan = await bringNotes(opened, file, options);
    const counts = await countNoted(opened.db, opened.schemas.data, file.notes);
    report(io, options, { plan, file, counts });
    return 0;
  });
}

/** Throws a `UsageError` with the problems of the file, if it has some. */
function requireNotes(path: string, { problems }: NotesFile): void {
  if (problems.length === 0) return;
  const more = problems.length - MAX_PROBLEMS;
  throw new UsageError('usage.wrong_notes', `${path === '-' ? 'stdin' : path}: no note was imported:`, [
    ...problems.slice(0, MAX_PROBLEMS),
    ...(more > 0 ? [`and ${plural(more, 'more problem')}`] : []),
  ]);
}

function bringNotes(
  { db, schemas }: OpenDatabase,
  file: NotesFile,
  { dryRun, deleteMissing }: ImportNotesOptions,
): Promise<NotesPlan> {
  const bring = async (tx: Parameters<Parameters<typeof inTransaction>[1]>[0]) => {
    if (!dryRun) await lockNotes(tx, schemas.data);
    const plan = planNotes(await readNotes(tx, schemas.data), file, { deletesMissing: deleteMissing });
    if (!dryRun) await writeNotes(tx, schemas.data, { plan, columns: file.columns });
    return plan;
  };
  return inTransaction(db, bring, { what: 'importing notes' });
}

interface Imported {
  readonly plan: NotesPlan;
  readonly file: NotesFile;
  readonly counts: readonly number[] | undefined;
}

function report(io: Io, options: ImportNotesOptions, { plan, file, counts }: Imported): void {
  const { added, changed, deleted, unchanged } = plan;
  const nameless = file.notes.flatMap(({ object, property }, k) =>
    counts?.[k] === 0 ? [{ object, property, line: file.lines[k] }] : [],
  );
  const sums = { added: added.length, changed: changed.length, deleted: deleted.length, unchanged };
  const told = Object.entries(sums).map(([what, count]) => `${count} ${what}`);
  print(io, options, {
    json: { dryRun: options.dryRun, ...sums, checked: counts !== undefined, withoutProperty: nameless },
    lines: () => [
      `${options.dryRun ? 'would be imported, and nothing is: ' : ''}${plural(file.notes.length, 'note')}: ${told.join(', ')}`,
      ...(counts === undefined
        ? [
            'no property is known yet, so the names were not checked; plantsync sync object_properties reads them',
          ]
        : describeNameless(file.notes, counts)),
    ],
  });
}

import { countNoted } from '../../../load/notes/count-noted.ts';
import { NOTE_COLUMNS, type Note, type NoteKey } from '../../../load/notes/note.ts';
import { readNotes } from '../../../load/notes/store-notes.ts';
import { plural } from '../../../sync/count-text.ts';
import { matchSeries } from '../../../sync/selection/select-series.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openSessionDatabase, withSession } from '../../open/session.ts';
import { type Line, makeTable } from '../../output/table.ts';

export interface ListNotesOptions extends CommonOptions {
  readonly object?: string;
  readonly property?: string;
}

/** A note, and how many properties it is about. The count is null while no property is known. */
interface CountedNote extends Note {
  readonly properties: number | null;
}

/** Runs `plantsync notes list`: lists the notes whose object and property match. */
export async function listNotes(io: Io, options: ListNotesOptions): Promise<number> {
  const { object: objects = '*', property: properties = '*' } = options;
  return withSession(io, options, async (session) => {
    const { db, schemas } = await openSessionDatabase(io, session);
    const all = await readNotes(db, schemas.data);
    const chosen = all.filter(matchSeries({ objects, properties }));
    const counts = await countNoted(db, schemas.data, chosen);
    const notes = chosen.map((note, k): CountedNote => ({ ...note, properties: counts?.[k] ?? null }));
    print(io, options, { json: { notes }, lines: () => renderNotes(notes, all.length) });
    return 0;
  });
}

function renderNotes(notes: readonly CountedNote[], total: number): Line[] {
  if (total === 0) return ['there are no notes; plantsync notes import FILE brings some'];
  if (notes.length === 0) return [`none of ${plural(total, 'note')} matches --object and --property`];
  const columns = [
    { title: 'object', wrap: 12 },
    { title: 'property', wrap: 12 },
    { title: 'unit', cut: 4 },
    { title: 'display name', wrap: 12 },
    ...['low', 'high', 'target'],
    { title: 'comment', wrap: 16, drop: 1 },
    { title: 'properties', drop: 2 },
  ];
  const rows = notes.map((note) => [
    ...[note.object, note.property],
    ...NOTE_COLUMNS.map((column) => (note[column] === null ? '' : String(note[column]))),
    note.properties ?? '',
  ]);
  return [
    makeTable(columns, rows),
    ...describeNameless(
      notes,
      notes.map(({ properties }) => properties ?? 1),
    ),
  ];
}

const MAX_NAMED = 5;

/** Tells which notes are about no property, given the counts of `countNoted`. */
export function describeNameless(keys: readonly NoteKey[], counts: readonly number[]): string[] {
  const nameless = keys
    .filter((_, k) => counts[k] === 0)
    .map(({ object, property }) => `${object}.${property}`);
  if (nameless.length === 0) return [];
  const more = nameless.length - MAX_NAMED;
  const names = [...nameless.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return [
    `${plural(nameless.length, 'note is', 'notes are')} about no property that the platform lists: ${names}`,
  ];
}

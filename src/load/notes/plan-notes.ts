import { keyOf, type Note, type NoteColumn, type NoteKey } from './note.ts';

/** Notes of a file, and which of their columns the file has. The other columns stay as they are. */
export interface GivenNotes {
  readonly notes: readonly Note[];
  readonly columns: readonly NoteColumn[];
}

/** What has to change so that the table holds what the file says. */
export interface NotesPlan {
  readonly added: readonly Note[];
  readonly changed: readonly Note[];
  readonly deleted: readonly NoteKey[];
  /** The number of notes that stay as they are. */
  readonly unchanged: number;
}

/**
 * Compares the notes of a file with those of the table. `deletesMissing` deletes notes that the file lacks.
 */
export function planNotes(
  present: readonly Note[],
  { notes, columns }: GivenNotes,
  { deletesMissing }: { readonly deletesMissing: boolean },
): NotesPlan {
  const old = new Map(present.map((note) => [keyOf(note), note]));
  const added = notes.filter((note) => !old.has(keyOf(note)));
  const changed = notes.filter((note) => {
    const before = old.get(keyOf(note));
    return before !== undefined && columns.some((column) => before[column] !== note[column]);
  });
  const given = new Set(notes.map(keyOf));
  const deleted = deletesMissing ? present.filter((note) => !given.has(keyOf(note))) : [];
  return { added, changed, deleted, unchanged: present.length - changed.length - deleted.length };
}

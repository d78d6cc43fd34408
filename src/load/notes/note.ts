/** The columns of a note that hold text. */
const NOTE_TEXTS = ['unit', 'display_name', 'comment'] as const;
/** The columns of a note that hold numbers. */
export const NOTE_NUMBERS = ['low', 'high', 'target'] as const;
/** The columns of a note that say something of the property, in their order. */
export const NOTE_COLUMNS = ['unit', 'display_name', ...NOTE_NUMBERS, 'comment'] as const;

export type NoteColumn = (typeof NOTE_COLUMNS)[number];
export type NoteNumber = (typeof NOTE_NUMBERS)[number];

/** The object of a note that counts for every object with the property. */
export const ANY_OBJECT = '*';

/** Names the property that a note is about. The object may be `ANY_OBJECT`. */
export interface NoteKey {
  readonly object: string;
  readonly property: string;
}

/** What people know of a property. What nobody said is null. */
export type Note = NoteKey &
  Readonly<Record<(typeof NOTE_TEXTS)[number], string | null>> &
  Readonly<Record<NoteNumber, number | null>>;

/** Returns a text that only this key has. */
export function keyOf({ object, property }: NoteKey): string {
  return JSON.stringify([object, property]);
}

import { type ColumnValue, ownKeyColumns, type Row, type Stream } from './define.ts';
import { escapeName } from './entries.ts';

interface KeyedColumns {
  readonly key: readonly string[];
  readonly columns: readonly { readonly name: string }[];
}

/** Returns the positions of the key's values in a row, in the order of the key. */
export function keyPlaces({ key, columns }: KeyedColumns): number[] {
  return key.map((name) => columns.findIndex((column) => column.name === name));
}

/** Makes the function that reads the key of a row. */
export function createKeyReader(table: KeyedColumns): (row: Row) => ColumnValue[] {
  const places = keyPlaces(table);
  return (row) => places.map((at) => row[at] ?? null);
}

/**
 * Joins the values of a key by slashes into one text. In all values but the last, `~` and `/` are written
 * `~0` and `~1`. So no other key with the same number of values gives the same text.
 */
export function keyText(values: readonly unknown[]): string {
  const texts = values.map((value) => String(value ?? ''));
  return [...texts.slice(0, -1).map(escapeName), ...texts.slice(-1)].join('/');
}

/**
 * Makes the function that reads the key of a record as a text, as far as the record itself has the key.
 * Returns undefined for a record without a key.
 */
export function createRecordKeyReader(
  stream: Pick<Stream, 'key' | 'columns'>,
): (record: unknown) => string | undefined {
  const members = ownKeyColumns(stream).map(({ source }) => source);
  return (record) => {
    if (typeof record !== 'object' || record === null) return undefined;
    const values = members.map((member) => (record as Record<string, unknown>)[member]);
    return values.some((value) => value === null || value === undefined)
      ? undefined
      : JSON.stringify(values.map(String));
  };
}

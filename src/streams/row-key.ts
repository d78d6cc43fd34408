import type { ColumnValue, Row } from './define.ts';

interface KeyedColumns {
  readonly key: readonly string[];
  readonly columns: readonly { readonly name: string }[];
}

/** Where in a row the values of its key are, in the order of the key. */
export function keyPlaces({ key, columns }: KeyedColumns): number[] {
  return key.map((name) => columns.findIndex((column) => column.name === name));
}

/** Makes the function that reads the key of a row. */
export function createKeyReader(table: KeyedColumns): (row: Row) => ColumnValue[] {
  const places = keyPlaces(table);
  return (row) => places.map((at) => row[at] ?? null);
}

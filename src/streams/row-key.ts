import type { ColumnValue, Row } from './define.ts';
import { escapeName } from './entries.ts';

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

/**
 * The values of a key as one text, joined by slashes. No other key of as many values has it: in all values but the last, `~` and `/`
 * are written `~0` and `~1`.
 */
export function keyText(values: readonly unknown[]): string {
  const texts = values.map((value) => String(value ?? ''));
  return [...texts.slice(0, -1).map(escapeName), ...texts.slice(-1)].join('/');
}

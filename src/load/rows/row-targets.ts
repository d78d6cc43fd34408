import {
  type Column,
  filledColumns,
  rowColumns,
  type Stream,
  type Table,
  tableOf,
} from '../../streams/define.ts';
import type { CopyColumn } from '../copy/encode.ts';

/** A table to which the rows of a stream, or of one of its parts, are written. */
export interface RowTarget {
  readonly table: string;
  /** The names of the key columns. */
  readonly key: readonly string[];
  /** The columns, in the order of the values of a `Row`. */
  readonly columns: readonly CopyColumn[];
  /**
   * The way in which rows of the table come and go:
   * - `list`: rows come and go with the entries of a list.
   * - `part`: rows come and go with the record that holds them.
   * - `details`: rows are those of a list; their columns change, and no row is made, deleted or restored.
   */
  readonly kind: 'list' | 'part' | 'details';
  /** The names of the columns that come from the list, or from the details where the list has no value. */
  readonly filled: readonly string[];
  /** The filter of the list as JSON text. Null for the whole list. */
  readonly filter: string | null;
}

/**
 * The columns with the raw records. They are kept for people, so a difference in them alone is no change of
 * the row.
 */
export const rawColumns: readonly string[] = ['raw', 'detail_raw'];

/** Returns the tables for the rows of a stream, and for those of its parts in the order of `stream.parts`. */
export function targetsOf(
  stream: Stream,
  { keepRaw, filter }: { keepRaw: boolean; filter: string | null },
): { main: RowTarget; parts: RowTarget[] } {
  const prefix = stream.updates ? 'detail_' : '';
  const rest: Pick<Column, 'name' | 'type'>[] = [{ name: `${prefix}extra`, type: 'jsonb' }];
  if (keepRaw) rest.push({ name: `${prefix}raw`, type: 'jsonb' });
  return {
    main: {
      ...shapeOf({ key: stream.key, columns: rowColumns(stream) }, rest),
      table: tableOf(stream),
      kind: stream.updates ? 'details' : 'list',
      filled: filledColumns(stream).map(({ name }) => name),
      filter: stream.updates ? null : filter,
    },
    parts: (stream.parts ?? []).map((part) => ({
      ...shapeOf(part, [{ name: 'extra', type: 'jsonb' }]),
      table: part.name,
      kind: 'part',
      filled: [],
      filter: null,
    })),
  };
}

function shapeOf(
  { key, columns }: Pick<Table, 'key' | 'columns'>,
  rest: readonly CopyColumn[],
): Pick<RowTarget, 'key' | 'columns'> {
  return { key, columns: [...columns.map(({ name, type }) => ({ name, type })), ...rest] };
}

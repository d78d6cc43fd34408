import {
  type Column,
  filledColumns,
  rowColumns,
  type Stream,
  type Table,
  tableOf,
} from '../../streams/define.ts';
import type { CopyColumn } from '../copy/encode.ts';

/** A table as the rows of one stream, or of one of its parts, are written to it. */
export interface RowTarget {
  readonly table: string;
  /** Names of the key columns. */
  readonly key: readonly string[];
  /** In the order of the values of a `Row`. */
  readonly columns: readonly CopyColumn[];
  /**
   * - `list`: rows come and go with the entries of a list.
   * - `part`: rows come and go with the record that holds them.
   * - `details`: columns of rows that a list has made; no row is made, deleted or brought back.
   */
  readonly kind: 'list' | 'part' | 'details';
  /** Names of the columns that the list tells first, and the details where the list does not. */
  readonly filled: readonly string[];
  /** The filter of the list as JSON text; null for the whole list. */
  readonly filter: string | null;
}

/** Columns with the raw records: kept for people, so a difference in them alone is no change of the row. */
export const rawColumns: readonly string[] = ['raw', 'detail_raw'];

/** Where the rows of a stream go, and those of its parts in the order of `stream.parts`. */
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

import type { ListOperationId } from '../platform/operations.ts';

/** Postgres types that a column of a stream may have. */
export type ColumnType =
  | 'text'
  | 'bigint'
  | 'integer'
  | 'double precision'
  | 'boolean'
  | 'timestamptz'
  | 'jsonb';

/** One column of a stream's table. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /**
   * Where the value comes from: a member of the record (`showName`, or a path `bindingInfo.source`),
   * or `parent.<column>` for a key column of the parent's row.
   */
  readonly source: string;
  /** One line for people: the comment of the column and its entry in the data dictionary. */
  readonly meaning: string;
}

/** A value as it goes to Postgres; `timestamptz` columns hold epoch microseconds, `jsonb` columns any JSON value. */
export type ColumnValue = string | number | bigint | boolean | null | object;

/** The values of one row in the order of `stream.columns`, then `extra` (unknown members of the record, or null). */
export type Row = readonly ColumnValue[];

export interface Stream {
  /** Name on the command line, in the ledger, and of the table in the data schema. */
  readonly name: string;
  /** One line for people: the comment of the table. */
  readonly about: string;
  readonly operation: ListOperationId;
  /** Names of the key columns. */
  readonly key: readonly string[];
  readonly columns: readonly Column[];
  /** A stream that is read once per row of its parent. */
  readonly parent?: {
    readonly stream: Stream;
    /** Path parameter of the operation → column of the parent. */
    readonly path: Readonly<Record<string, string>>;
  };
  /** Members of the record that are known and deliberately not stored as columns. */
  readonly ignore?: readonly string[];
  /** Escape hatch: a pure change of the raw record before its columns are read. */
  readonly map?: (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** Declares a stream and checks the declaration: this runs at import, so a wrong one never ships. */
export function defineStream(stream: Stream): Stream {
  const names = stream.columns.map((column) => column.name);
  if (new Set(names).size !== names.length)
    throw new Error(`stream ${stream.name}: a column is declared twice`);
  for (const key of stream.key)
    if (!names.includes(key)) throw new Error(`stream ${stream.name}: key column ${key} is not declared`);
  for (const name of names)
    if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
      throw new Error(`stream ${stream.name}: bad column name ${name}`);
  return stream;
}

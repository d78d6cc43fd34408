import { complaintIn } from '../platform/complaint.ts';
import type { OperationId } from '../platform/operations.ts';
import type { FindNode } from './node-finder.ts';

/** Postgres types that a column of a stream may have. */
export type ColumnType =
  | 'text'
  | 'bigint'
  | 'integer'
  | 'double precision'
  | 'boolean'
  | 'timestamptz'
  | 'jsonb';

/** One column of a table. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /**
   * Origin of the value. It is one of:
   * - a member of the record: `showName`, or a path such as `bindingInfo.source`;
   * - `parent.<column>`: a column of the row that the record belongs to. In a stream with a parent this is
   *   the parent's row, in a part the row of the whole record;
   * - a value that the declaration computes, which begins with `#`. Examples are `#position` (place of an
   *   entry in its list, from 1), `#value` (an entry that is a bare value) and `#path`.
   */
  readonly source: string;
  /** One line for people. It becomes the comment of the column and its entry in the data dictionary. */
  readonly meaning: string;
  /** A value as the platform may send it, for the data dictionary. */
  readonly example: string;
  /** Value of the column if the record does not say any, so that a key can hold it. */
  readonly whenAbsent?: string;
  /**
   * The `table.column` that the value names. It becomes a line in the diagram of the data dictionary, and no
   * constraint in Postgres.
   */
  readonly references?: string;
}

/**
 * A value as it goes to Postgres. `timestamptz` columns hold epoch microseconds, and `jsonb` columns any JSON
 * value.
 */
export type ColumnValue = string | number | bigint | boolean | null | object;

/**
 * The values of one row in the order of the columns, then `extra` (unknown members, or null), then the raw
 * record if it is kept.
 */
export type Row = readonly ColumnValue[];

/** A raw JSON object of the platform. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** The declaration of a table. */
export interface Table {
  /** Name of the table in the data schema. */
  readonly name: string;
  /** One line for people. It becomes the comment of the table. */
  readonly about: string;
  /** Names of the key columns. */
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}

/**
 * A table of a list inside each record: labels of an object, roles of a user. The rows of one record are
 * always written together, with the record.
 */
export interface Part extends Table {
  /**
   * Returns the entries in a record. Returns undefined if the record says nothing about them, so that the
   * rows stay. `findNode` is given if entries may name organization nodes and these nodes are read. Pure.
   */
  readonly entries: (record: RawRecord, findNode?: FindNode) => readonly unknown[] | undefined;
  /**
   * Path of the entries in the record: `roles`, `commonTypeValues.fields`, `services[].inputs`. Its first
   * member is then no unknown member.
   */
  readonly from?: string;
  /** True if the contract does not promise the member. It is then no drift if no record has the member. */
  readonly optional?: true;
  /** True if the contract does not show the members of an entry. None of them then counts as missing. */
  readonly open?: true;
  /**
   * True if an entry may name an organization node by its path alone. `entries` then needs the nodes that
   * exist.
   */
  readonly namesNodes?: true;
  /** Members of an entry that are known, and deliberately not stored as columns. */
  readonly ignore?: readonly string[];
  /**
   * True if the rows belong to no single record, as roles do. A row is deleted only when no record names it
   * any more.
   */
  readonly shared?: true;
}

/** A filter of the operation that the configuration may set. */
export interface Filter {
  readonly kind: 'text' | 'texts' | 'boolean';
  /** One line for people that says what the filter does. */
  readonly meaning: string;
  /**
   * Set for a filter that adds to the entries and leaves none out. A scan under it is still a scan of the
   * whole list.
   */
  readonly narrows?: false;
  readonly default?: string | boolean | readonly string[];
  /** Selects records. Such a filter is not sent to the platform; it chooses from the records that come. */
  readonly select?: (
    records: readonly unknown[],
    set: string | boolean | readonly string[],
  ) => readonly unknown[];
}

/**
 * Reads the records in a reply. `asked` are the key columns of the row that was asked for. Throws a
 * `TypeError` if the reply does not hold the records.
 */
export type RecordsReader = (reply: unknown, asked?: RawRecord) => Iterable<unknown>;

/**
 * One kind of thing that is synced. `name` is its name on the command line and in the ledger, and the name of
 * its table.
 */
export interface Stream extends Table {
  /**
   * Operation that the stream reads: a paged one, or one whose single reply holds the records (`records`).
   */
  readonly operation: OperationId;
  /**
   * Reads the records in the reply of an operation that is not paged. Throws a `TypeError` if the reply is
   * not what the contract says.
   */
  readonly records?: RecordsReader;
  /**
   * The stream from whose rows this stream gets its parameters: it is read once for each row. Both maps lead
   * from a parameter of the operation to a column of the parent.
   */
  readonly parent?: {
    readonly stream: Stream;
    readonly path: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
  };
  /** Query parameters that never change. */
  readonly query?: Readonly<Record<string, string>>;
  /** Query parameters that the configuration may set. */
  readonly filters?: Readonly<Record<string, Filter>>;
  readonly parts?: readonly Part[];
  /**
   * True for a stream of details: one request for each row of the parent stream. Its columns are added to the
   * parent's table, and it never inserts rows. Its key columns are those of the parent.
   */
  readonly updates?: true;
  /**
   * True if the details also show members of the list. They fill the columns that the list leaves empty in a
   * row.
   */
  readonly filled?: true;
  /** True if rows are searched by patterns of their key, and read in its order. An index serves that. */
  readonly searched?: true;
  /** Set if the rows are a tree. The columns `path` and `depth` are computed when the rows are loaded. */
  readonly tree?: Tree;
  /**
   * Columns whose values follow from more than one record. The code that loads the rows writes them. Their
   * sources begin with `#`.
   */
  readonly computed?: readonly Column[];
  /** Members of the record that are known, and deliberately not stored as columns. */
  readonly ignore?: readonly string[];
  /** Changes the raw record before its columns are read, for records that need it. Pure. */
  readonly map?: (record: RawRecord) => RawRecord;
}

/** How the rows of a table form a tree. A row whose parent is the root is at depth 1. */
export interface Tree {
  /** Column with the name of the tree, which is also the name of its root. */
  readonly root: string;
  readonly name: string;
  readonly parent: string;
  /**
   * Computed column with the names from the root down. `~` and `/` inside a name are written `~0` and `~1`.
   * Null if no way leads to the root.
   */
  readonly path: Column;
  readonly depth: Column;
}

/** Returns the stream whose rows a stream writes: the stream itself, or the one that it adds details to. */
export function baseOf(stream: Stream): Stream {
  return stream.updates && stream.parent !== undefined ? stream.parent.stream : stream;
}

/**
 * Returns the columns that both the list and the details of a table may show. These are columns of the list
 * that come from its records and are no part of the key. Returns none if no details fill the list of the
 * stream's table.
 */
export function filledColumns(stream: Stream): Column[] {
  const { filled, key, columns } = baseOf(stream);
  if (!filled) return [];
  return columns.filter(({ name, source }) => !key.includes(name) && !/^(?:#|parent\.)/.test(source));
}

/**
 * Returns the columns of a row in their order: the declared ones, and for details then the columns that they
 * fill.
 */
export function rowColumns(stream: Stream): Column[] {
  return [...stream.columns, ...(stream.updates ? filledColumns(stream) : [])];
}

/** Returns the table that a stream writes. */
export function tableOf(stream: Stream): string {
  return baseOf(stream).name;
}

/**
 * Returns the function that reads the records from a reply that is not paged. Returns undefined for a paged
 * operation.
 *
 * A reply with the details of one item is the record itself. The reply must name an item. If `asked` is
 * given, it must be the item asked for. Otherwise a reply without content would empty the row, and a reply
 * about another item would overwrite it. A reply that complains may leave out anything, so it is refused.
 */
export function recordsOf(stream: Stream): RecordsReader | undefined {
  const { updates, records } = stream;
  if (!updates) return records;
  const names = ownKeyColumns(baseOf(stream));
  return (reply, asked) => {
    if (complaintIn(reply) !== undefined)
      throw new TypeError(
        'the reply has a message that reports no success, so that it may leave out members',
      );
    for (const { name, source } of names) {
      const value = (reply as Readonly<Record<string, unknown>> | null)?.[source];
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
        throw new TypeError(`the reply has no member ${source}`);
      if (asked !== undefined && String(asked[name]) !== String(value))
        throw new TypeError(`the reply is about "${value}", not about the item asked for`);
    }
    return [reply];
  };
}

/** Returns the key columns that come from the record itself, and not from the row that it belongs to. */
export function ownKeyColumns({ key, columns }: Pick<Table, 'key' | 'columns'>): Column[] {
  return columns.filter(({ name, source }) => key.includes(name) && !source.startsWith('parent.'));
}

/**
 * Declares a stream and checks its declaration. The check runs at import, so a wrong declaration never ships.
 * Throws an error if the declaration is wrong.
 */
export function defineStream(stream: Stream): Stream {
  const own = { ...stream, columns: [...stream.columns, ...(stream.computed ?? [])] };
  for (const table of [own, ...(stream.parts ?? [])]) checkTable(table);
  for (const part of stream.parts ?? []) {
    const owned = part.key
      .slice(0, stream.key.length)
      .every((name, k) => sourceOf(part, name) === `parent.${stream.key[k]}`);
    if (!owned && !part.shared)
      throw new Error(
        `part ${part.name}: its key must begin with the key of ${stream.name}, as parent.<column>`,
      );
  }
  if (stream.updates && stream.key.join() !== stream.parent?.stream.key.join())
    throw new Error(`stream ${stream.name}: its key must be that of the stream it updates`);
  return stream;
}

function checkTable({ name: table, columns, key }: Table): void {
  const names = columns.map((column) => column.name);
  if (new Set(names).size !== names.length) throw new Error(`table ${table}: a column is declared twice`);
  for (const column of key)
    if (!names.includes(column)) throw new Error(`table ${table}: key column ${column} is not declared`);
  for (const name of [table, ...names])
    if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw new Error(`table ${table}: bad name ${name}`);
}

function sourceOf({ columns }: Table, name: string): string | undefined {
  return columns.find((column) => column.name === name)?.source;
}

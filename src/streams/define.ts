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
   * Where the value comes from: a member of the record (`showName`, or a path `bindingInfo.source`), or `parent.<column>` for a column
   * of the row that the record belongs to (in a stream with a parent the parent's row, in a part the row of the whole record).
   * What the declaration itself computes begins with `#`: `#position` (place of an entry in its list, from 1), `#value` (an entry
   * that is a bare value), `#path`.
   */
  readonly source: string;
  /** One line for people: the comment of the column and its entry in the data dictionary. */
  readonly meaning: string;
  /** A value as it may come, for the data dictionary. */
  readonly example: string;
  /** What stands in the column where the record says nothing: it makes the value one that a key can hold. */
  readonly whenAbsent?: string;
  /** `table.column` that the value names: a line in the diagram of the data dictionary, no constraint in Postgres. */
  readonly references?: string;
}

/** A value as it goes to Postgres; `timestamptz` columns hold epoch microseconds, `jsonb` columns any JSON value. */
export type ColumnValue = string | number | bigint | boolean | null | object;

/** The values of one row in the order of the columns, then `extra` (unknown members, or null), then the raw record if it is kept. */
export type Row = readonly ColumnValue[];

/** A raw JSON object of the platform. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** What a table says of itself. */
export interface Table {
  /** Name of the table in the data schema. */
  readonly name: string;
  /** One line for people: the comment of the table. */
  readonly about: string;
  /** Names of the key columns. */
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}

/** A table of what one record holds many of: labels of an object, roles of a user. It is written with its record, whole. */
export interface Part extends Table {
  /**
   * The entries in a record; undefined where the record says nothing about them, so that the rows stay. Pure.
   * `findNode` is given where the entries may name organization nodes and these are read.
   */
  readonly entries: (record: RawRecord, findNode?: FindNode) => readonly unknown[] | undefined;
  /** Where the entries are in the record: `roles`, `commonTypeValues.fields`, `services[].inputs`. It is no unknown member then. */
  readonly from?: string;
  /** The contract does not promise the member, so it is no drift where no record has it. */
  readonly optional?: true;
  /** The contract does not show the members of an entry, so none of them is missed. */
  readonly open?: true;
  /** An entry may name an organization node by its path alone, so that `entries` needs the nodes that exist. */
  readonly namesNodes?: true;
  /** Members of an entry that are known and deliberately not stored as columns. */
  readonly ignore?: readonly string[];
  /** The rows belong to no single record (roles): none is deleted because one record lacks it, only when nothing names it any more. */
  readonly shared?: true;
}

/** A filter of the endpoint that the configuration may set. */
export interface Filter {
  readonly kind: 'text' | 'texts' | 'boolean';
  /** One line for people: what it does. */
  readonly meaning: string;
  /** It adds to the entries and leaves none out, so a scan under it is still a scan of the whole list. */
  readonly narrows?: false;
  readonly default?: string | boolean | readonly string[];
  /** It is not sent: of the records that come, those stay that it selects. */
  readonly select?: (
    records: readonly unknown[],
    set: string | boolean | readonly string[],
  ) => readonly unknown[];
}

/** Reads the records in a reply; `asked` are the key columns of the row that was asked for. Throws a `TypeError` if it does not hold them. */
export type RecordsReader = (reply: unknown, asked?: RawRecord) => Iterable<unknown>;

/** One kind of thing that is synced. `name` is its name on the command line, in the ledger, and of its table. */
export interface Stream extends Table {
  /** Paged operation, or one whose single reply holds the records (`records`). */
  readonly operation: OperationId;
  /** The records in the reply of an operation that is not paged; throws a `TypeError` if the reply is not what the contract says. */
  readonly records?: RecordsReader;
  /** A stream that is read once per row of its parent. Path and query parameter of the operation → column of the parent. */
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
   * Details: one request per row of the parent stream, whose columns are added to the parent's table and whose rows are never
   * inserted by it. The key columns are those of the parent.
   */
  readonly updates?: true;
  /** The operation of its details tells the members of the list too: what the list leaves out of a row, they fill. */
  readonly filled?: true;
  /** The rows are a tree: columns `path` and `depth` are computed when its rows are loaded. */
  readonly tree?: Tree;
  /** Columns that follow from more than one record, and are written by whoever loads the rows. Their sources begin with `#`. */
  readonly computed?: readonly Column[];
  /** Members of the record that are known and deliberately not stored as columns. */
  readonly ignore?: readonly string[];
  /** Escape hatch: a pure change of the raw record before its columns are read. */
  readonly map?: (record: RawRecord) => RawRecord;
}

/** How rows of one table hang together. A row whose parent's value is the root's is at depth 1. */
export interface Tree {
  /** Column of the tree, which is also the name of its root. */
  readonly root: string;
  readonly name: string;
  readonly parent: string;
  /** Computed columns: names from the root down, `~` and `/` inside a name written `~0` and `~1`; null where no way leads to the root. */
  readonly path: Column;
  readonly depth: Column;
}

/** The stream whose rows a stream writes: itself, or the one that it adds details to. */
export function baseOf(stream: Stream): Stream {
  return stream.updates && stream.parent !== undefined ? stream.parent.stream : stream;
}

/**
 * Columns that the list and the details of a table both tell: those of the list that its records hold and that are no part of the
 * key. None where no details fill the list, and none of a stream whose rows belong to no such table.
 */
export function filledColumns(stream: Stream): Column[] {
  const { filled, key, columns } = baseOf(stream);
  if (!filled) return [];
  return columns.filter(({ name, source }) => !key.includes(name) && !/^(?:#|parent\.)/.test(source));
}

/** The columns of a row in their order: those that are declared, and of details those that they fill after them. */
export function rowColumns(stream: Stream): Column[] {
  return [...stream.columns, ...(stream.updates ? filledColumns(stream) : [])];
}

/** The table that a stream writes. */
export function tableOf(stream: Stream): string {
  return baseOf(stream).name;
}

/**
 * How the records are read from the reply of an operation that is not paged; undefined for one that is. The reply with the details of one
 * item is the record itself. It must name the item, and it must be the one asked for where that is given by the columns of its key: a
 * reply without content would empty what is known, and that of another item would be taken for this one's.
 * A reply that complains may leave out anything, and is refused.
 */
export function recordsOf(stream: Stream): RecordsReader | undefined {
  const { updates, records } = stream;
  if (!updates) return records;
  const names = ownKeyColumns(baseOf(stream));
  return (reply, asked) => {
    if (complaintIn(reply) !== undefined)
      throw new TypeError(
        'the reply has a message that reports no success, so that what it lacks is not known',
      );
    for (const { name, source } of names) {
      const value = (reply as Readonly<Record<string, unknown>> | null)?.[source];
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
        throw new TypeError(`the reply has no member ${source}`);
      if (asked !== undefined && String(asked[name]) !== String(value))
        throw new TypeError(`the reply is of "${value}"`);
    }
    return [reply];
  };
}

/** Columns of the key that come from the record itself, and not from what it belongs to. */
export function ownKeyColumns({ key, columns }: Pick<Table, 'key' | 'columns'>): Column[] {
  return columns.filter(({ name, source }) => key.includes(name) && !source.startsWith('parent.'));
}

/** Declares a stream and checks the declaration: this runs at import, so a wrong one never ships. */
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

import {
  type ColumnValue,
  type Part,
  type RawRecord,
  type Row,
  rowColumns,
  type Stream,
} from '../streams/define.ts';
import { isRecord } from './members.ts';
import { asReceived, createRowNormalizer, type Rejected, type RowOptions } from './normalize-rows.ts';
import { cleanText, sampleOf } from './text.ts';

/** A record as the row of its table and the rows of its parts. */
export interface NormalizedRecord {
  readonly row: Row;
  /** Columns whose value was of another type. Columns of a part are named `table.column`. */
  readonly retyped: readonly string[];
  /** Columns in whose text a character was replaced. Columns of a part are named `table.column`. */
  readonly replaced: readonly string[];
  /**
   * The rows of each part, in the order of `stream.parts`. Undefined for a part of which the record says
   * nothing.
   */
  readonly parts: readonly (readonly Row[] | undefined)[];
  /** Entries of parts that could not be used, each with its reason. */
  readonly rejects: readonly PartReject[];
}

/** An entry of a part that could not be used, with its reason. */
export interface PartReject {
  readonly table: string;
  readonly reason: string;
  readonly sample: unknown;
}

/** Makes the function that turns raw records of a stream into rows of its table and of its parts. Pure. */
export function createRecordNormalizer(
  stream: Stream,
  options: RowOptions,
): (record: unknown, parent?: RawRecord) => NormalizedRecord | Rejected {
  const { parts = [] } = stream;
  const table = { ...stream, columns: rowColumns(stream), ignore: ignoredMembers(stream) };
  const normalizeRow = createRowNormalizer(table, options);
  const readers = parts.map((part) => createPartReader(part, options));
  const ownerColumns = listOwnerColumns(stream);
  return (record, parent) => {
    const normalized = normalizeRow(record, parent);
    if ('reject' in normalized) return normalized;
    const found: Found = {
      retyped: [...normalized.retyped],
      replaced: [...normalized.replaced],
      rejects: [],
    };
    const owner = Object.fromEntries(ownerColumns.map(([name, at]) => [name, normalized.row[at] ?? null]));
    const rows = readers.map((read) => read(record as RawRecord, owner, found));
    return { row: normalized.row, ...found, parts: rows };
  };
}

/** Returns the members that the rows of the stream's own table need not hold. */
function ignoredMembers({ ignore = [], parts = [] }: Stream): string[] {
  return [...ignore, ...parts.flatMap(({ from }) => from ?? [])];
}

interface Found {
  readonly retyped: string[];
  readonly replaced: string[];
  readonly rejects: PartReject[];
}

type Owner = Readonly<Record<string, ColumnValue>>;

function createPartReader(
  part: Part,
  { parseInstant, findNode }: RowOptions,
): (record: RawRecord, owner: Owner, found: Found) => readonly Row[] | undefined {
  const normalize = createRowNormalizer(part, { parseInstant });
  // The names of known nodes are cleaned for Postgres, so a path is cleaned before the look-up.
  const findCleaned = findNode && ((path: string) => findNode(cleanText(path).text));
  return (record, owner, found) => {
    const entries = part.entries(record, findCleaned);
    if (entries === undefined) return undefined;
    const rows: Row[] = [];
    for (const entry of entries) {
      const normalized = normalize(entry, owner);
      if ('reject' in normalized) {
        const sample = isRecord(entry) ? asReceived(entry) : entry;
        found.rejects.push({ table: part.name, reason: normalized.reject, sample: sampleOf(sample) });
        continue;
      }
      rows.push(normalized.row);
      note(found.retyped, part, normalized.retyped);
      note(found.replaced, part, normalized.replaced);
    }
    return rows;
  };
}

/** Notes columns of a part by their full names, each once for a record. */
function note(noted: string[], { name }: Part, columns: readonly string[]): void {
  for (const column of columns) {
    const full = `${name}.${column}`;
    if (!noted.includes(full)) noted.push(full);
  }
}

/** Returns the columns of a row that its parts take over, with their positions in the row. */
function listOwnerColumns({ columns, parts = [] }: Stream): (readonly [name: string, at: number])[] {
  const taken = new Set(parts.flatMap((part) => part.columns.map(({ source }) => source)));
  return columns.flatMap(({ name }, at) => (taken.has(`parent.${name}`) ? [[name, at] as const] : []));
}

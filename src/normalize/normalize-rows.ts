import type { InstantParser } from '../series/instant.ts';
import type { Column, ColumnValue, RawRecord, Row, Stream } from '../streams/define.ts';
import type { FindNode } from '../streams/node-finder.ts';
import { keyPlaces } from '../streams/row-key.ts';
import { clean } from './clean.ts';
import { createFitter, type Fitter } from './fit.ts';
import { BLOCKED, emptyRecord, follow, isRecord, knowMembers, leaveUnknown, putAt } from './members.ts';

/** An index entry of Postgres takes up to 2,704 bytes. Some are left for the overhead of the entry. */
const MAX_KEY_BYTES = 2_600;

/** A record as a row, or the reason why the record cannot be a row. */
export type NormalizedRow =
  | {
      readonly row: Row;
      /** Columns whose value was of another type. The column is null, and `extra` keeps the value. */
      readonly retyped: readonly string[];
      /** Columns in whose text a character was replaced. */
      readonly replaced: readonly string[];
    }
  | Rejected;

/**
 * Why a record cannot be a row. Its key is given if it is usable, because the platform has the row all the
 * same.
 */
export interface Rejected {
  readonly reject: string;
  readonly key?: readonly ColumnValue[];
}

/** Settings of the row normalizer. */
export interface RowOptions {
  readonly parseInstant: InstantParser;
  /** True if the last value of a row is the record as received. */
  readonly keepRaw?: boolean;
  /** Finds the organization node of a path, for parts whose entries name nodes. */
  readonly findNode?: FindNode | undefined;
}

/** The members of a stream or part that decide how its rows are made. */
export type RowTable = Pick<Stream, 'key' | 'columns' | 'ignore' | 'map'>;

/**
 * Makes the function that turns raw records into rows. A row has the columns in declared order, then `extra`,
 * then the raw record if `keepRaw` is set. `extra` holds the members that no column reads and the values that
 * fit no type, so that nothing is lost.
 */
export function createRowNormalizer(
  table: RowTable,
  options: RowOptions,
): (record: unknown, parent?: RawRecord) => NormalizedRow {
  const readers = table.columns.map((column) => createReader(column, options.parseInstant));
  const known = knowMembers([...(table.ignore ?? []), ...table.columns.map(({ source }) => source)]);
  const keyAt = keyPlaces(table);
  const keyColumns = keyAt.map((at) => table.columns[at]);
  const normalize = (raw: RawRecord, parent: RawRecord | undefined): NormalizedRow => {
    const record = table.map === undefined ? raw : table.map(raw);
    const noted: Noted = { extra: leaveUnknown(record, known), retyped: [], replaced: [] };
    const row = readers.map((reader) => readColumn(reader, { record, parent }, noted));
    const unusable = checkKey(
      keyColumns,
      keyAt.map((at) => row[at]),
    );
    if (unusable !== undefined) return { reject: unusable };
    row.push(clean(noted.extra ?? null, () => noted.replaced.push('extra')));
    if (options.keepRaw) row.push(clean(asReceived(raw), () => noted.replaced.push('raw')));
    return { row, retyped: noted.retyped, replaced: noted.replaced };
  };
  return (raw, parent) => {
    if (!isRecord(raw)) return { reject: 'the entry is not an object' };
    try {
      return normalize(raw, parent);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const source = { record: table.map?.(raw) ?? raw, parent };
      const noted: Noted = { extra: undefined, retyped: [], replaced: [] };
      const key = keyAt.map((at) => readColumn(readers[at] as Reader, source, noted));
      return { reject: error.message, ...(checkKey(keyColumns, key) === undefined && { key }) };
    }
  };
}

/** Makes the function that reads the key of a record, as the row of the record has the key. */
export function createKeyNormalizer(
  table: RowTable,
  { parseInstant }: Pick<RowOptions, 'parseInstant'>,
): (record: unknown, parent?: RawRecord) => ColumnValue[] {
  const readers = keyPlaces(table).map((at) => createReader(table.columns[at] as Column, parseInstant));
  return (raw, parent) => {
    const record = isRecord(raw) ? (table.map?.(raw) ?? raw) : emptyRecord();
    const noted: Noted = { extra: undefined, retyped: [], replaced: [] };
    return readers.map((reader) => readColumn(reader, { record, parent }, noted));
  };
}

/** Returns an entry as the platform sent it, without the members that its declaration has computed. */
export function asReceived(entry: RawRecord): RawRecord {
  const computed = Object.keys(entry).filter((member) => member.startsWith('#'));
  if (computed.length === 0) return entry;
  const received = Object.assign(emptyRecord(), entry);
  for (const member of computed) delete received[member];
  return received;
}

interface Reader {
  readonly column: Column;
  readonly ofParent: boolean;
  readonly path: readonly string[];
  readonly fitValue: Fitter;
}

interface Source {
  readonly record: RawRecord;
  readonly parent: RawRecord | undefined;
}

/** Notes that are taken while the columns of one record are read. */
interface Noted {
  extra: Record<string, unknown> | undefined;
  readonly retyped: string[];
  readonly replaced: string[];
}

function createReader(column: Column, parseInstant: InstantParser): Reader {
  const path = column.source.split('.');
  const ofParent = column.source.startsWith('parent.');
  return {
    column,
    ofParent,
    // The name of a parent's column may hold dots, so it is not split.
    path: ofParent ? [path.slice(1).join('.')] : path,
    fitValue: createFitter(column.type, parseInstant),
  };
}

function readColumn({ column, ofParent, path, fitValue }: Reader, source: Source, noted: Noted): ColumnValue {
  const value = ofParent ? source.parent?.[path[0] as string] : follow(source.record, path);
  if (value === null || value === undefined) return column.whenAbsent ?? null;
  const fitted = value === BLOCKED ? undefined : fitValue(value);
  if (fitted !== undefined) return clean(fitted, () => noted.replaced.push(column.name));
  noted.retyped.push(column.name);
  noted.extra ??= emptyRecord();
  if (value !== BLOCKED) putAt(noted.extra, column.source.startsWith('#') ? [column.name] : path, value);
  // `extra` already has the value, unless the member is one to ignore.
  else noted.extra[path[0] as string] ??= source.record[path[0] as string];
  return null;
}

/** Returns why values cannot be a key in these columns. Returns undefined if they can. */
function checkKey(
  columns: readonly (Column | undefined)[],
  values: readonly (ColumnValue | undefined)[],
): string | undefined {
  let bytes = 0;
  for (const [k, value] of values.entries()) {
    const isBlank = value === '' && columns[k]?.whenAbsent !== '';
    if (value === undefined || value === null || isBlank)
      return `the entry has no usable ${columns[k]?.source.replace(/^#/, '')}, which is part of its key`;
    bytes += Buffer.byteLength(String(value));
  }
  return bytes > MAX_KEY_BYTES
    ? `the key of the entry has ${bytes} bytes; Postgres can index ${MAX_KEY_BYTES}`
    : undefined;
}

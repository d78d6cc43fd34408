import type { InstantParser } from '../series/instant.ts';
import type { Column, ColumnType, ColumnValue, Row, Stream } from '../streams/define.ts';
import { cleanText } from './text.ts';

/** An index entry of Postgres takes up to 2,704 bytes; some are left for what surrounds the key. */
const MAX_KEY_BYTES = 2_600;

/** JSON of more levels is refused: what reads it later might not be able to. */
const MAX_DEPTH = 200;
/** A larger integer is kept as text: the numbers of `jsonb` end at 131,072 digits. */
const LARGEST_NUMBER = 10n ** 1_000n;

type Record_ = Readonly<Record<string, unknown>>;

/** A record as a row, or the reason why it cannot be one. */
export type NormalizedRow =
  | {
      readonly row: Row;
      /** Columns whose value was of another type: null in the column, the value kept in `extra`. */
      readonly retyped: readonly string[];
      /** Columns in whose text a character had to be replaced. */
      readonly replaced: readonly string[];
    }
  | { readonly reject: string };

/** What a value of a column may be: the value, or `undefined` if it does not fit the type. */
type Fitter = (value: unknown) => ColumnValue | undefined;

/**
 * Makes the function that turns raw records of a stream into rows: columns in the declared order, then `extra`,
 * which holds the members that no column reads and the values that fit no type, so that nothing is lost.
 */
export function createRowNormalizer(
  stream: Stream,
  parseInstant: InstantParser,
): (record: unknown, parent?: Record_) => NormalizedRow {
  const known = new Set([
    ...(stream.ignore ?? []),
    ...stream.columns.map(({ source }) => source.split('.')[0] ?? source),
  ]);
  const keyColumns = stream.key.map((name) => {
    const at = stream.columns.findIndex((column) => column.name === name);
    return [stream.columns[at]?.source ?? name, at] as const;
  });
  const fitters = new Map(stream.columns.map((column) => [column, createFitter(column.type, parseInstant)]));
  const normalize = (raw: unknown, parent?: Record_): NormalizedRow => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
      return { reject: 'the entry is not an object' };
    const record = stream.map === undefined ? (raw as Record_) : stream.map(raw as Record_);
    // Without a prototype, so that a member called __proto__ is one like any other.
    const extra: Record<string, unknown> = Object.create(null);
    for (const [member, value] of Object.entries(record)) if (!known.has(member)) extra[member] = value;
    const values: ColumnValue[] = [];
    const retyped: string[] = [];
    const replaced: string[] = [];
    for (const [column, fitValue] of fitters) {
      const value = readSource(column, record, parent);
      const fitted = value === null || value === undefined ? null : fitValue(value);
      if (fitted === undefined) {
        extra[column.source] = value;
        retyped.push(column.name);
      }
      values.push(clean(fitted ?? null, () => replaced.push(column.name)));
    }
    const unusable = checkKey(keyColumns.map(([source, at]) => [source, values[at]]));
    if (unusable !== undefined) return { reject: unusable };
    values.push(
      Object.keys(extra).length === 0 ? null : (clean(extra, () => replaced.push('extra')) as object),
    );
    return { row: values, retyped, replaced };
  };
  return (raw, parent) => {
    try {
      return normalize(raw, parent);
    } catch (error) {
      if (error instanceof RangeError) return { reject: error.message };
      throw error;
    }
  };
}

function readSource(column: Column, record: Record_, parent: Record_ | undefined): unknown {
  const path = column.source.split('.');
  const [first, ...rest] = path;
  if (first === 'parent') return parent?.[rest.join('.')];
  let value: unknown = record[first ?? ''];
  for (const member of rest)
    value = typeof value === 'object' && value !== null ? (value as Record_)[member] : undefined;
  return value;
}

/** Why the values of a key, given with their sources, cannot be one; undefined if they can. */
function checkKey(
  key: readonly (readonly [source: string, value: ColumnValue | undefined])[],
): string | undefined {
  const absent = key.find(([, value]) => value === undefined || value === null || value === '');
  if (absent !== undefined) return `the entry has no usable ${absent[0]}, which is part of its key`;
  const bytes = key.reduce((sum, [, value]) => sum + Buffer.byteLength(String(value)), 0);
  return bytes > MAX_KEY_BYTES
    ? `its key has ${bytes} bytes; Postgres can index ${MAX_KEY_BYTES}`
    : undefined;
}

function createFitter(type: ColumnType, parseInstant: InstantParser): Fitter {
  switch (type) {
    case 'text':
      return (value) => (typeof value === 'object' ? undefined : String(value));
    case 'boolean':
      return fitBoolean;
    case 'integer':
    case 'bigint':
      return fitInteger;
    case 'double precision':
      return (value) => fitNumber(value);
    case 'timestamptz':
      return (value) => {
        const micros = parseInstant(value);
        return Number.isNaN(micros) ? undefined : micros;
      };
    case 'jsonb':
      return (value) => value as ColumnValue;
  }
}

function fitBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1 || value === '1') return true;
  return value === 'false' || value === 0 || value === '0' ? false : undefined;
}

function fitInteger(value: unknown): number | bigint | undefined {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? BigInt(value) : undefined;
}

function fitNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Replaces what Postgres cannot hold in any text inside a value. */
function clean(value: ColumnValue, onReplace: () => void): ColumnValue {
  if (typeof value === 'string') {
    const { text, replaced } = cleanText(value);
    if (replaced) onReplace();
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  let touched = false;
  const cleaned = cleanDeep(value, () => {
    touched = true;
  });
  if (touched) onReplace();
  return cleaned as object;
}

function cleanDeep(value: unknown, onReplace: () => void, depth = 0): unknown {
  if (typeof value === 'string') return clean(value, onReplace);
  if (depth > MAX_DEPTH) throw new RangeError(`the entry is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'bigint' && (value > LARGEST_NUMBER || value < -LARGEST_NUMBER)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => cleanDeep(part, onReplace, depth + 1));
  const cleaned: Record<string, unknown> = Object.create(null);
  for (const [member, part] of Object.entries(value))
    cleaned[clean(member, onReplace) as string] = cleanDeep(part, onReplace, depth + 1);
  return cleaned;
}

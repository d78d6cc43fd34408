import type { PlainRecord } from '../../../src/simulator/values.ts';

/** An expected row: values by column, as a query returns them. */
export type ExpectedRow = Readonly<Record<string, unknown>>;

/** The largest size of a key, in bytes. */
const MAX_KEY_BYTES = 2_600;

/**
 * Reads the members of one raw record for the columns of one row, by rules of its own. A member that fits its
 * type becomes the value. A member that does not fit becomes null and, like members that nobody reads, goes
 * to `rest`.
 */
export class TruthReader {
  readonly #record: PlainRecord;
  readonly #known: Set<string>;

  /** `known` members, or paths of members, have tables of their own, or are not stored on purpose. */
  constructor(record: PlainRecord, known: readonly string[] = []) {
    this.#record = record;
    this.#known = new Set(known);
  }

  text(path: string): string | null {
    return this.#take(path, (value) => (typeof value === 'object' ? undefined : cleanText(String(value))));
  }

  boolean(path: string): boolean | null {
    return this.#take(path, (value) => {
      if (['true', true, 1, '1'].includes(value as string)) return true;
      return ['false', false, 0, '0'].includes(value as string) ? false : undefined;
    });
  }

  integer(path: string): number | null {
    return this.#take(path, (value) => {
      if (typeof value === 'string') return /^-?\d+$/.test(value) ? Number(value) : undefined;
      return Number.isInteger(value) ? (value as number) : undefined;
    });
  }

  number(path: string): number | null {
    return this.#take(path, (value) => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    });
  }

  /** Reads a time in epoch microseconds. */
  time(path: string): number | null {
    return this.#take(path, (value) => {
      const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
      return Number.isNaN(ms) ? undefined : ms * 1000;
    });
  }

  json(path: string): unknown {
    return this.#take(path, cleanDeep);
  }

  /** Reads a value that the platform wraps as `{"value": …}`. `{}` means no value. */
  wrapped(member: string): unknown {
    return this.#take(member, (value) => {
      if (!isObject(value)) return cleanDeep(value);
      const members = Object.keys(value);
      if (members.length === 0) return null;
      return cleanDeep(members.join() === 'value' ? value.value : value);
    });
  }

  /**
   * Returns the members that no column holds, in their raw form: the column `extra`. Call it after all
   * columns are read.
   */
  rest(): unknown {
    return cleanDeep(this.#leave(this.#record, '') ?? null);
  }

  #leave(record: PlainRecord, above: string): PlainRecord | undefined {
    const left = Object.entries(record).flatMap(([member, value]) => {
      const path = above + member;
      const isPartly = [...this.#known].some((one) => one.startsWith(`${path}.`));
      if (value === undefined || this.#known.has(path) || (isPartly && value === null)) return [];
      const rest = isPartly && isObject(value) ? this.#leave(value, `${path}.`) : value;
      return rest === undefined ? [] : [[member, rest]];
    });
    return left.length === 0 ? undefined : Object.fromEntries(left);
  }

  #take<T>(path: string, convert: (value: unknown) => T | undefined): T | null {
    const value = path
      .split('.')
      .reduce<unknown>((at, member) => (isObject(at) ? at[member] : undefined), this.#record);
    const converted = value === null || value === undefined ? null : convert(value);
    if (converted !== undefined) this.#known.add(path);
    return converted ?? null;
  }
}

/**
 * Merges columns that both a list and its details tell: the value of the list, else that of the details. Adds
 * the names of the columns that the details filled.
 */
export function fillColumns(
  list: TruthReader,
  details: TruthReader,
  columns: Readonly<Record<string, (reader: TruthReader) => unknown>>,
): ExpectedRow {
  const filled: string[] = [];
  const values = Object.entries(columns).map(([name, read]) => {
    const [told, detailed] = [read(list), read(details)];
    if (told === null && detailed !== null) filled.push(name);
    return [name, told ?? detailed];
  });
  return { ...Object.fromEntries(values), detail_filled: filled.length === 0 ? null : filled };
}

/** Returns the text as Postgres can hold it. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleanDeep(one)]));
}

function isObject(value: unknown): value is PlainRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Tells whether the platform can be asked for a record by its stored name. It cannot where Postgres holds
 * another text.
 */
export function isAskable(name: unknown): boolean {
  const text = String(name);
  return isKey(name) && Buffer.byteLength(text) <= MAX_KEY_BYTES && cleanText(text) === text;
}

/** Returns the rows that have a usable key. The last of several equal keys counts. */
export function keyedRows(rows: readonly ExpectedRow[], key: readonly string[]): ExpectedRow[] {
  const usable = rows.filter((row) => {
    const bytes = key.reduce((sum, name) => sum + Buffer.byteLength(String(row[name])), 0);
    return key.every((name) => isKey(row[name])) && bytes <= MAX_KEY_BYTES;
  });
  return [...new Map(usable.map((row) => [keyOf(row, key), row])).values()];
}

export function keyOf(row: ExpectedRow, key: readonly string[]): string {
  return JSON.stringify(key.map((name) => row[name]));
}

function isKey(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** Returns the entries of a member that should be a list. Any other value is one entry, no value is none. */
export function entriesOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * Returns the entries that are objects, with their places from 1. A bare text or number is taken as the
 * member `bareAs`.
 */
export function placedEntries(value: unknown, bareAs?: string): [entry: PlainRecord, position: number][] {
  return entriesOf(value).flatMap((entry, k): [PlainRecord, number][] => {
    const isBare = (typeof entry === 'string' && entry !== '') || typeof entry === 'number';
    const record = isBare && bareAs !== undefined ? { [bareAs]: entry } : entry;
    return isObject(record) ? [[record, k + 1]] : [];
  });
}

/** Joins names to one path. `~` and `/` in a name are written `~0` and `~1`. */
export function pathOf(names: readonly (string | null)[]): string {
  return names.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}

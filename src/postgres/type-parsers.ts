import { type CustomTypesConfig, types } from 'pg';

/** Oids of the types whose meaning in JavaScript is decided here, and not by `pg`. */
const oid = {
  int8: 20,
  int8Array: 1016,
  date: 1082,
  timestamp: 1114,
  timestampArray: 1115,
  timestamptz: 1184,
  timestamptzArray: 1185,
} as const;

/** Reads an `int8` as a number if a number holds it exactly, else as a bigint. No digit is lost. */
function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

const TIMESTAMPTZ_PATTERN = /^(\d{4,6})-(\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00( BC)?$/;

/**
 * Reads a `timestamptz` as epoch microseconds, and `infinity` and `-infinity` as the numbers of that name.
 * Every session runs in UTC. Throws for any other offset, since it means that the session was changed.
 */
function parseTimestamptz(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const [, year, day, time, fraction = '', bc] = TIMESTAMPTZ_PATTERN.exec(text) ?? [];
  if (year === undefined) throw new Error(`not a timestamptz of a session in UTC: ${text}`);
  const wholeMs = Date.parse(`${extendedYear(bc ? 1 - Number(year) : Number(year))}-${day}T${time}Z`);
  return wholeMs * 1000 + Number(fraction.padEnd(6, '0'));
}

/** Writes an instant for a parameter or a COPY: the reverse of `parseTimestamptz`. */
export function timestamptzText(us: number): string {
  if (us === Number.POSITIVE_INFINITY) return 'infinity';
  if (us === Number.NEGATIVE_INFINITY) return '-infinity';
  const seconds = Math.floor(us / 1e6);
  const fraction = String(Math.round(us - seconds * 1e6)).padStart(6, '0');
  const iso = new Date(seconds * 1000).toISOString();
  // Beyond four digits JavaScript writes ±YYYYYY, which Postgres does not read. Before year 1 Postgres wants
  // BC.
  const [, sign = '', year = '', rest] = /^([+-]?)(\d+)-(.*)\.000Z$/.exec(iso) ?? [];
  const plainYear = sign === '-' || Number(year) === 0 ? Number(year) + 1 : Number(year);
  const era = sign === '-' || Number(year) === 0 ? ' BC' : '';
  return `${String(plainYear).padStart(4, '0')}-${rest?.replace('T', ' ')}.${fraction}+00${era}`;
}

/**
 * Writes numbers as the literal of an array. That is far cheaper than the driver's quoting of each element.
 */
export function numbersText(numbers: Iterable<number | null>): string {
  return `{${Array.from(numbers, (number) => number ?? 'null').join()}}`;
}

function extendedYear(year: number): string {
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}

/** The parser of this type splits any array. The enumeration of the types package does not list it. */
const TEXT_ARRAY_OID: number = 1009;

function parseArray(text: string, parse: (entry: string) => unknown): unknown[] {
  const entries: (string | null)[] = types.getTypeParser(TEXT_ARRAY_OID, 'text')(text);
  return entries.map((entry) => (entry === null ? null : parse(entry)));
}

const parsers = new Map<number, (text: string) => unknown>([
  [oid.int8, parseInt8],
  [oid.timestamptz, parseTimestamptz],
  [oid.int8Array, (text) => parseArray(text, parseInt8)],
  [oid.timestamptzArray, (text) => parseArray(text, parseTimestamptz)],
  // Without a zone there is no instant: such values stay text, and never become local time.
  [oid.date, (text) => text],
  [oid.timestamp, (text) => text],
  [oid.timestampArray, (text) => parseArray(text, (entry) => entry)],
]);

/**
 * The types of values that queries return. An `int8` is a number or, beyond 2^53, a bigint. A `timestamptz`
 * is epoch microseconds. Values of `date`, `timestamp`, `numeric` and ranges are text. All other types are as
 * `pg` has them.
 */
export const typeParsers: CustomTypesConfig = {
  getTypeParser: ((id: number, format: 'text' | 'binary' = 'text') =>
    (format === 'text' ? parsers.get(id) : undefined) ??
    types.getTypeParser(id, format)) as CustomTypesConfig['getTypeParser'],
};

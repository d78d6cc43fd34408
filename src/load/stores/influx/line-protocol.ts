import { ByteText } from '../../../byte-text.ts';
import type { Series } from '../../../series/types.ts';

/**
 * InfluxDB line protocol: `measurement,tags fields time`. The fields are always `value` (a float) and `text` (a
 * string), so a series never changes the type of a field.
 *
 * Tag values travel as they are, but for the few that line protocol cannot carry, or that its parsers read in
 * different ways: control characters, and a backslash at the end or before `\`, `,`, `=` or a space. These become
 * `␛` (U+241B) and two hexadecimal digits; a `␛` of the name itself is doubled. So two names never become one tag,
 * and `decodeTag` gives the name back: `Pump 1\` is stored as `Pump 1␛5C`.
 */
const ESCAPE = '\u241b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSAFE_IN_TAG = /[\u0000-\u001f\u007f\u241b]|\\(?=[\\,= ]|$)/g;
const ENCODED_IN_TAG = /\u241b(?:\u241b|([0-9A-F]{2}))/g;

const UNSAFE_IN_FIELD = /["\\]/;
const QUOTE = 0x22;

/** The series key and one field name, with the four bytes that InfluxDB puts between them, may take 65,535 bytes. */
const MAX_KEY_BYTES = 65_535 - Buffer.byteLength('#!~#value');

/** The tag value (not yet escaped for line protocol) under which a name is stored. */
export function encodeTag(name: string): string {
  return name.replace(UNSAFE_IN_TAG, (character) =>
    character === ESCAPE
      ? ESCAPE + ESCAPE
      : ESCAPE + character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'),
  );
}

/** The name behind a stored tag value: the inverse of `encodeTag`. */
export function decodeTag(tag: string): string {
  return tag.replace(ENCODED_IN_TAG, (_, hex: string | undefined) =>
    hex === undefined ? ESCAPE : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export interface SeriesKey {
  /** What all lines of the series begin with: measurement and tags. */
  readonly bytes: Uint8Array;
  /** Why the series cannot be stored, if so. */
  readonly refused: string | undefined;
}

export interface LineEncoder {
  /** The key of a series, made once per series id and kept. */
  keyOf(series: Series): SeriesKey;
}

/** Makes the keys of one measurement; `constants` are tags that every point gets. Empty tag values are left out. */
export function createLineEncoder(
  measurement: string,
  constants: Readonly<Record<string, string>> = {},
): LineEncoder {
  const keys = new Map<number, SeriesKey>();
  return {
    keyOf(series) {
      const known = keys.get(series.id);
      if (known !== undefined) return known;
      const key = makeKey(measurement, { ...constants, object: series.object, property: series.property });
      keys.set(series.id, key);
      return key;
    },
  };
}

/** The beginning of a line: measurement and tags, empty ones left out. `object` and `property` must not be empty for a series, an alarm may lack them. */
export function encodeKey(measurement: string, tags: Readonly<Record<string, string>>): string {
  let text = encodeTag(measurement).replace(/[, ]/g, '\\$&');
  // InfluxDB sorts the tags of a series; lines that come sorted spare it the work.
  for (const name of Object.keys(tags).sort()) {
    const value = tags[name];
    if (value) text += `,${escapeTag(name)}=${escapeTag(value)}`;
  }
  return text;
}

function makeKey(measurement: string, tags: Readonly<Record<string, string>>): SeriesKey {
  const text = encodeKey(measurement, tags);
  return { bytes: Buffer.from(text), refused: reasonToRefuse(text, tags) };
}

function reasonToRefuse(key: string, tags: Readonly<Record<string, string>>): string | undefined {
  if (!tags.object || !tags.property) return 'the object or the property has no name';
  return reasonOfLength(key);
}

/** Why a key is too long for InfluxDB, if it is. */
export function reasonOfLength(key: string): string | undefined {
  const bytes = Buffer.byteLength(key);
  if (bytes <= MAX_KEY_BYTES) return undefined;
  return `the names take ${bytes} bytes, and InfluxDB holds keys of at most ${MAX_KEY_BYTES} bytes`;
}

function escapeTag(text: string): string {
  return encodeTag(text).replace(/[,= ]/g, '\\$&');
}

/** Whether a point can be stored: null, NaN and ±Infinity have no place in InfluxDB. */
export function hasFields(value: number | null, text: string | null): boolean {
  return text !== null || isNumber(value);
}

/** Whether a value can be a field. */
export function isNumber(value: number | null): value is number {
  return value !== null && Number.isFinite(value);
}

/** The fields of one point; nothing if it has none. */
export function writeFields(out: ByteText, value: number | null, text: string | null): void {
  const hasNumber = isNumber(value);
  if (hasNumber) {
    out.text('value=');
    out.number(value);
  }
  if (text === null) return;
  out.text(hasNumber ? ',text="' : 'text="');
  out.text(UNSAFE_IN_FIELD.test(text) ? escapeField(text) : text);
  out.character(QUOTE);
}

/** As `writeFields`, as a text. */
export function encodeFields(value: number | null, text: string | null): string {
  const out = new ByteText(64);
  writeFields(out, value, text);
  return out.finish().toString();
}

/** A text as the value of a field. */
export function quoteField(text: string): string {
  return `"${escapeField(text)}"`;
}

function escapeField(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

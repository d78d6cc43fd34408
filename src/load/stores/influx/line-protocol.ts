import { ByteText } from '../../../byte-text.ts';
import type { Series } from '../../../series/types.ts';

/**
 * The escape of InfluxDB line protocol: `measurement,tags fields time`. The fields are always `value` (a
 * float) and `text` (a string), so a series never changes the type of a field.
 *
 * Tag values are written as they are, except for characters that line protocol cannot hold, or that its
 * parsers read in different ways. These are control characters, and a backslash at the end or before `\`,
 * `,`, `=` or a space. They become `␛` (U+241B) and two hexadecimal digits. A `␛` of the name itself is
 * doubled. So two names never become one tag, and `decodeTag` returns the name: `Pump 1\` is stored as `Pump
 * 1␛5C`.
 */
const ESCAPE = '\u241b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSAFE_IN_TAG = /[\u0000-\u001f\u007f\u241b]|\\(?=[\\,= ]|$)/g;
const ENCODED_IN_TAG = /\u241b(?:\u241b|([0-9A-F]{2}))/g;

const UNSAFE_IN_FIELD = /["\\]/;
const QUOTE = 0x22;

/**
 * The most bytes of a series key. InfluxDB allows 65,535 for the key, one field name, and four bytes between
 * them.
 */
const MAX_KEY_BYTES = 65_535 - Buffer.byteLength('#!~#value');

/** Returns the tag value under which a name is stored, not yet escaped for line protocol. */
export function encodeTag(name: string): string {
  return name.replace(UNSAFE_IN_TAG, (character) =>
    character === ESCAPE
      ? ESCAPE + ESCAPE
      : ESCAPE + character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'),
  );
}

/** Returns the name of a stored tag value: the inverse of `encodeTag`. */
export function decodeTag(tag: string): string {
  return tag.replace(ENCODED_IN_TAG, (_, hex: string | undefined) =>
    hex === undefined ? ESCAPE : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export interface SeriesKey {
  /** The beginning of all lines of the series: measurement and tags. */
  readonly bytes: Uint8Array;
  /** The reason why the series cannot be stored. Undefined if it can. */
  readonly refused: string | undefined;
}

export interface LineEncoder {
  /** Returns the key of a series, made once per series id. */
  keyOf(series: Series): SeriesKey;
}

/**
 * Creates the encoder of one measurement. `constants` are tags of every point. Empty tag values are left out.
 */
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

/**
 * Encodes the beginning of a line: measurement and tags, without empty tags. A series must have `object` and
 * `property`, an alarm may lack them.
 */
export function encodeKey(measurement: string, tags: Readonly<Record<string, string>>): string {
  let text = encodeTag(measurement).replace(/[, ]/g, '\\$&');
  // InfluxDB sorts the tags of a series. Sorted tags save that work.
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

/** Returns the reason if a key is too long for InfluxDB. Returns undefined if it is not. */
export function reasonOfLength(key: string): string | undefined {
  const bytes = Buffer.byteLength(key);
  if (bytes <= MAX_KEY_BYTES) return undefined;
  return `the names take ${bytes} bytes, and InfluxDB holds keys of at most ${MAX_KEY_BYTES} bytes`;
}

function escapeTag(text: string): string {
  return encodeTag(text).replace(/[,= ]/g, '\\$&');
}

/** Tells whether a point can be stored: null, NaN and ±Infinity have no place in InfluxDB. */
export function hasFields(value: number | null, text: string | null): boolean {
  return text !== null || isNumber(value);
}

/** Tells whether a value can be a field. */
export function isNumber(value: number | null): value is number {
  return value !== null && Number.isFinite(value);
}

/** Writes the fields of one point. Writes nothing for a point without fields. */
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

/** Returns the fields as `writeFields` writes them. */
export function encodeFields(value: number | null, text: string | null): string {
  const out = new ByteText(64);
  writeFields(out, value, text);
  return out.finish().toString();
}

/** Quotes a text as the value of a field. */
export function quoteField(text: string): string {
  return `"${escapeField(text)}"`;
}

function escapeField(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

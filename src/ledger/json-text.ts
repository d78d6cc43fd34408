import { stringify } from 'lossless-json';

/**
 * Any value as JSON that a `jsonb` column takes: every digit of a bigint stays, and what the type cannot hold, `\u0000` and
 * halves of a surrogate pair, becomes U+FFFD. Samples of bad data contain just such things.
 */
export function jsonText(value: unknown): string {
  const text = stringify(value) ?? 'null';
  // Takes every escape as a whole, so that an escaped backslash before "u0000" is not misread.
  return text.replace(/\\(?:u(0000|d[89a-f]..)|.)/g, (part, unstorable?: string) =>
    unstorable === undefined ? part : '\\ufffd',
  );
}

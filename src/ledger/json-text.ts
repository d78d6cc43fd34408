import { stringify } from 'lossless-json';

/**
 * Writes any value as JSON that a `jsonb` column takes. Every digit of a bigint stays. Texts that the type
 * cannot hold, `\u0000` and halves of a surrogate pair, become U+FFFD, because samples of bad data contain
 * them.
 */
export function jsonText(value: unknown): string {
  const text = writeJson(value) ?? 'null';
  // The pattern takes every escape as a whole, so that an escaped backslash before "u0000" is not misread.
  return text.replace(/\\(?:u(0000|d[89a-f]..)|.)/g, (part, unstorable?: string) =>
    unstorable === undefined ? part : '\\ufffd',
  );
}

/** The built-in writer is faster. It throws for a bigint, of which the other one keeps all digits. */
function writeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return stringify(value);
  }
}

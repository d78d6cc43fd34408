import { parse as parseLossless } from 'lossless-json';

/** Found many times faster than the next one, which then looks closer. */
const longDigits = /\d{16}/;
/** The integer part of a number (or digits in a text) too long to be surely exact as a double. */
const longInteger = /(?<![.\d])\d{16}/;
const integer = /^-?\d+$/;
/** A whole string, or a token that JSON does not know; strings come first so that their content is never touched. */
const stringOrBareNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;

/**
 * Parses JSON as the platform sends it. Integers beyond 2^53 become `bigint`, all other numbers doubles; bare `NaN`,
 * `Infinity` and `-Infinity`, which JSON does not know, become the texts of that name. Throws `SyntaxError` otherwise.
 */
export function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const repaired = text.replace(stringOrBareNumber, quoteBareNumber);
    if (repaired === text) throw error;
    return parseExact(repaired);
  }
}

/** The lossless parser is many times slower than the built-in one, so it only sees replies that need it. */
function parseExact(text: string): unknown {
  if (!longDigits.test(text) || !longInteger.test(text)) return JSON.parse(text);
  return parseLossless(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

function parseNumber(text: string): number | bigint {
  const value = Number(text);
  return integer.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

function quoteBareNumber(token: string): string {
  if (token.startsWith('"')) return token;
  return token.endsWith('NaN') ? '"NaN"' : `"${token}"`;
}

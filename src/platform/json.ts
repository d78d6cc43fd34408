import { parse as parseLossless } from 'lossless-json';

/** Found many times faster than the next one, which then looks closer. */
const longDigits = /\d{16}/;
/** The integer part of a number (or digits in a text) too long to be surely exact as a double. */
const longInteger = /(?<![.\d])\d{16}/;
const integer = /^-?\d+$/;
const LONG = 16;
/** A number of so many digits, without decimals or exponent. */
const longWhole = /(?<![.\deE+-])-?\d{16,}(?![.\deE])/g;
/** First character of a marked text; JSON holds control characters only as escapes. */
const MARK = 0x1f;
const escapedMark = /\\u001f/i;
const BACKSLASH = 0x5c;
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

/**
 * Long integers are turned into marked texts for the built-in parser, and those into `bigint`s afterwards: a lossless parser takes many
 * times as long. It is left what holds the mark already.
 */
function parseExact(text: string): unknown {
  if (!longDigits.test(text) || !longInteger.test(text)) return JSON.parse(text);
  if (escapedMark.test(text))
    return parseLossless(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
  return unmark(JSON.parse(markLongIntegers(text)));
}

/** The value of a number of JSON. */
export function parseNumber(text: string): number | bigint {
  const value = Number(text);
  return integer.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

/** Turns long integers outside of strings into marked strings. */
function markLongIntegers(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    if (end - at >= LONG) {
      const between = text.slice(at, end);
      const marked = between.replace(longWhole, (number) => `"\\u001f${number}"`);
      if (marked !== between) {
        pieces.push(text.slice(copied, at), marked);
        copied = end;
      }
    }
    at = quote < 0 ? text.length : endOfString(text, quote);
  }
  return pieces.join('') + text.slice(copied);
}

/** The place behind a string that begins at a quotation mark. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Replaces the marked texts inside a parsed value, and gives it back. */
function unmark(value: unknown): unknown {
  if (typeof value === 'string') return value.charCodeAt(0) === MARK ? parseNumber(value.slice(1)) : value;
  if (Array.isArray(value)) for (let k = 0; k < value.length; k += 1) value[k] = unmark(value[k]);
  else if (typeof value === 'object' && value !== null) unmarkMembers(value as Record<string, unknown>);
  return value;
}

function unmarkMembers(parent: Record<string, unknown>): void {
  for (const name of Object.keys(parent)) {
    const own = parent[name];
    const unmarked = unmark(own);
    // Defined, not assigned: a member may be called `__proto__`.
    if (unmarked !== own)
      Object.defineProperty(parent, name, {
        value: unmarked,
        ...{ writable: true, enumerable: true, configurable: true },
      });
  }
}

function quoteBareNumber(token: string): string {
  if (token.startsWith('"')) return token;
  return token.endsWith('NaN') ? '"NaN"' : `"${token}"`;
}

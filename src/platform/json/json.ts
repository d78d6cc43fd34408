import { randomUUID } from 'node:crypto';

/** Found many times faster than the next two, which then look closer. */
const LONG_DIGITS = /\d(?:\d{15}|[eE]\+?\d{3})/;
/** The integer part of a number (or digits in a text) too long to be surely exact as a double. */
const LONG_INTEGER = /(?<![.\d])\d{16}/;
/** A number whose exponent may lead beyond the doubles. */
const HIGH_EXPONENT = /(?:^|[\s:,[])-?\d+(?:\.\d+)?[eE]\+?\d{3}/;
const INTEGER = /^-?\d+$/;
/** All of a number that may be one of these: of 16 digits or more, or with an exponent of three. */
const LONG_NUMBER =
  /(?<![.\deE+-])-?(?:\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?|(?:0|[1-9]\d*)(?:\.\d+)?[eE]\+?\d{3,})/g;
/** Characters of the shortest of them. */
const SHORTEST = '1e309'.length;
/** First character of a marked text. */
const MARK = 0x1f;
/** Begins a marked text. No platform can know it, so that no text of a reply is taken for a marked one. */
const mark = `\u001f${randomUUID()}:`;
const escapedMark = mark.replace('\u001f', '\\u001f');
const BACKSLASH = 0x5c;
/** A number that JSON does not know. */
const BARE_NUMBER = /-?\b(?:NaN|Infinity)\b/g;
/** Reading or writing a longer integer takes more than a moment; it stays a text, which keeps its digits. */
const MAX_INTEGER_LENGTH = 1_000;

/**
 * Parses JSON as the platform sends it, in a time that grows with the length of the text and no faster. Integers beyond 2^53 become
 * `bigint`, those of more than 1,000 digits texts, and so do decimals beyond the doubles (`1e400`); all other numbers become doubles. Bare
 * `NaN`, `Infinity` and `-Infinity`, which JSON does not know, become the texts of that name. Throws `SyntaxError` otherwise.
 */
export function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const repaired = quoteBareNumbers(text);
    if (repaired === text) throw error;
    return parseExact(repaired);
  }
}

/**
 * Numbers that no double holds are turned into marked texts for the built-in parser, and those into what holds them afterwards: a parser
 * of its own would take many times as long.
 */
function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text) || !(LONG_INTEGER.test(text) || HIGH_EXPONENT.test(text)))
    return JSON.parse(text);
  return unmark(JSON.parse(markLongNumbers(text)));
}

/** The value of a number of JSON; the text itself for an integer of more than 1,000 digits, or a decimal that no double holds. */
export function parseNumber(text: string): number | bigint | string {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  if (!INTEGER.test(text)) return Number.isFinite(value) ? value : text;
  return text.length > MAX_INTEGER_LENGTH ? text : BigInt(text);
}

/** Turns numbers outside of strings that no double holds into marked strings. */
function markLongNumbers(text: string): string {
  return replaceOutsideStrings(text, SHORTEST, (between) =>
    between.replace(LONG_NUMBER, (number) =>
      typeof parseNumber(number) === 'number' ? number : `"${escapedMark}${number}"`,
    ),
  );
}

/** Turns bare `NaN` and infinities outside of strings into strings. */
function quoteBareNumbers(text: string): string {
  return replaceOutsideStrings(text, 3, (between) => between.replace(BARE_NUMBER, quoteBareNumber));
}

/** Replaces what stands between the strings of a text, where it has at least so many characters. */
function replaceOutsideStrings(
  text: string,
  minLength: number,
  replace: (between: string) => string,
): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    if (end - at >= minLength) {
      const between = text.slice(at, end);
      const replaced = replace(between);
      if (replaced !== between) {
        pieces.push(text.slice(copied, at), replaced);
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

/** Replaces the marked texts inside a parsed value, and gives it back. It does not call itself: a value may be nested at any depth. */
function unmark(value: unknown): unknown {
  const root = [value];
  const containers: object[] = [root];
  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    if (Array.isArray(container))
      for (let k = 0; k < container.length; k += 1) unmarkPart(container, k, containers);
    else for (const name of Object.keys(container)) unmarkPart(container, name, containers);
  }
  return root[0];
}

function unmarkPart(container: object, name: string | number, containers: object[]): void {
  const part: unknown = (container as Record<string | number, unknown>)[name];
  if (typeof part === 'object' && part !== null) containers.push(part);
  else if (typeof part === 'string' && part.charCodeAt(0) === MARK && part.startsWith(mark))
    setMember(container, name, parseNumber(part.slice(mark.length)));
}

/** Sets a member of a parsed object, or an element of a list, whatever it is called: `__proto__` would be no member if it were assigned. */
export function setMember(container: object, name: string | number, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
  else (container as Record<string | number, unknown>)[name] = value;
}

function quoteBareNumber(token: string): string {
  return token.endsWith('NaN') ? '"NaN"' : `"${token}"`;
}

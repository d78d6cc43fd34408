import { randomUUID } from 'node:crypto';

/**
 * Finds texts that may hold a long number. It is many times faster than the next two patterns, which look
 * closer.
 */
const LONG_DIGITS = /\d(?:\d{15}|[eE]\+?\d{3})/;
/** The integer part of a number (or digits in a text) that is too long to be surely exact as a double. */
const LONG_INTEGER = /(?<![.\d])\d{16}/;
/** A number whose exponent may lead beyond the doubles. */
const HIGH_EXPONENT = /(?:^|[\s:,[])-?\d+(?:\.\d+)?[eE]\+?\d{3}/;
const INTEGER = /^-?\d+$/;
/** A whole number that one of these patterns may find: of 16 digits or more, or with an exponent of three. */
const LONG_NUMBER =
  /(?<![.\deE+-])-?(?:\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?|(?:0|[1-9]\d*)(?:\.\d+)?[eE]\+?\d{3,})/g;
/** The characters of the shortest number that `LONG_NUMBER` has to find. */
const SHORTEST = '1e309'.length;
/** The first character of a marked text. */
const MARK = 0x1f;
/** Begins a marked text. No platform can know this mark, so no text of a reply is taken for a marked one. */
const mark = `\u001f${randomUUID()}:`;
const escapedMark = mark.replace('\u001f', '\\u001f');
const BACKSLASH = 0x5c;
/** A number that JSON does not know. */
const BARE_NUMBER = /-?\b(?:NaN|Infinity)\b/g;
/**
 * Reading or writing a longer integer takes more than a moment. Such an integer stays a text with all its
 * digits.
 */
const MAX_INTEGER_LENGTH = 1_000;

/**
 * Parses JSON as the platform sends it. The time that this takes grows in proportion to the length of the
 * text. Integers beyond 2^53 become `bigint`. Integers of more than 1,000 digits and decimals beyond the
 * doubles (`1e400`) become texts. All other numbers become doubles. Bare `NaN`, `Infinity` and `-Infinity`,
 * which JSON does not know, become the texts of that name. Throws `SyntaxError` if the text is not JSON
 * otherwise.
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
 * Parses JSON in which some numbers fit no double. They become marked texts for the built-in parser, and are
 * replaced by their values afterwards. A parser of our own would take many times as long.
 */
function parseExact(text: string): unknown {
  if (!LONG_DIGITS.test(text) || !(LONG_INTEGER.test(text) || HIGH_EXPONENT.test(text)))
    return JSON.parse(text);
  return unmark(JSON.parse(markLongNumbers(text)));
}

/**
 * Returns the value of a number of JSON. Returns the text itself for an integer of more than 1,000 digits, or
 * for a decimal that no double holds.
 */
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

/**
 * Replaces pieces between the strings of a text. Pieces of less than `minLength` characters stay as they are.
 */
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

/** Returns the place behind a string that begins at a quotation mark. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/**
 * Replaces the marked texts inside a parsed value, and returns the value. The function does not call itself,
 * since a value may be nested at any depth.
 */
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

/**
 * Sets a member of a parsed object, or an element of a list, whatever its name. An assignment to `__proto__`
 * would make no member.
 */
export function setMember(container: object, name: string | number, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
  else (container as Record<string | number, unknown>)[name] = value;
}

function quoteBareNumber(token: string): string {
  return token.endsWith('NaN') ? '"NaN"' : `"${token}"`;
}

export type Sign = '@' | '?' | '*' | '+' | '!';

/** A part of a pattern. Parts match one character, any number of characters, or one of several pieces. */
export type Token =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'class';
      readonly ranges: readonly (readonly [from: string, to: string])[];
      readonly isNegated: boolean;
    }
  | { readonly kind: 'group'; readonly sign: Sign; readonly choices: readonly (readonly Token[])[] };

/** Most values that a range such as `{1..100}` may stand for. */
const MAX_RANGE = 1_000;
/** Most groups inside of groups. Groups that are nested deeper are taken to the letter. */
const MAX_GROUPS = 20;
const closers: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

/** Takes a glob pattern apart. A piece that is not closed, or makes no sense, means itself. */
export class GlobReader {
  readonly #characters: readonly string[];
  readonly #depth: number;
  /**
   * Opening brackets that have an end. Other brackets mean themselves, and are not followed to the end of the
   * pattern.
   */
  readonly #closed: ReadonlySet<number>;
  readonly #lastBracket: number;
  #at = 0;

  constructor(pattern: string | readonly string[], depth = 0) {
    this.#characters = [...pattern];
    this.#depth = depth;
    this.#closed = findClosed(this.#characters);
    this.#lastBracket = this.#characters.lastIndexOf(']');
  }

  read(): readonly Token[] {
    const tokens: Token[] = [];
    while (this.#at < this.#characters.length) {
      const token = this.#next();
      // Two stars in a row match the same names as one star.
      if (token.kind !== 'star' || tokens.at(-1)?.kind !== 'star') tokens.push(token);
    }
    return tokens;
  }

  #next(): Token {
    const character = this.#characters[this.#at] as string;
    const next = this.#characters[this.#at + 1];
    const group =
      next === '(' && isSign(character)
        ? this.#readGroup(this.#at + 1, character)
        : character === '(' || character === '{'
          ? this.#readGroup(this.#at, '@')
          : undefined;
    if (group !== undefined) return group;
    const set = character === '[' ? this.#readClass() : undefined;
    if (set !== undefined) return set;
    this.#at += 1;
    if (character === '*') return { kind: 'star' };
    if (character === '?') return { kind: 'any' };
    if (character !== '\\' || next === undefined) return { kind: 'character', character };
    this.#at += 1;
    return { kind: 'character', character: next };
  }

  /**
   * Reads a group in brackets or braces. Returns undefined if the group has no end, or if braces hold neither
   * a comma nor a range.
   */
  #readGroup(open: number, sign: Sign): Token | undefined {
    const isBraces = this.#characters[open] === '{';
    const isGroup = this.#depth < MAX_GROUPS && this.#closed.has(open);
    const parts = isGroup ? this.#split(open, isBraces ? ',' : '|') : undefined;
    if (parts === undefined) return undefined;
    const texts =
      isBraces && parts.pieces.length === 1 ? expandRange(parts.pieces[0]?.join('') ?? '') : parts.pieces;
    if (texts === undefined) return undefined;
    this.#at = parts.end;
    const choices = [...texts].map((text) => new GlobReader(text, this.#depth + 1).read());
    return { kind: 'group', sign, choices };
  }

  /**
   * Splits a group into the pieces between its opening bracket and its end. Returns undefined if the group
   * has no end.
   */
  #split(open: number, separator: string): { pieces: string[][]; end: number } | undefined {
    const ends: string[] = [closers[this.#characters[open] as string] as string];
    const pieces: string[][] = [[]];
    for (let at = open + 1; at < this.#characters.length; at += 1) {
      const character = this.#characters[at] as string;
      if (character === ends.at(-1)) ends.pop();
      else if (character in closers) ends.push(closers[character] as string);
      if (ends.length === 0) return { pieces, end: at + 1 };
      if (character === separator && ends.length === 1) pieces.push([]);
      else pieces.at(-1)?.push(character);
      if (character !== '\\') continue;
      at += 1;
      pieces.at(-1)?.push(this.#characters[at] ?? '');
    }
    return undefined;
  }

  #readClass(): Token | undefined {
    const characters = this.#characters;
    if (this.#lastBracket < this.#at) return undefined;
    let at = this.#at + 1;
    const isNegated = characters[at] === '!' || characters[at] === '^';
    if (isNegated) at += 1;
    const ranges: [string, string][] = [];
    for (const first = at; at < characters.length; ) {
      if (characters[at] === ']' && at > first) {
        this.#at = at + 1;
        return { kind: 'class', ranges, isNegated };
      }
      if (characters[at] === '\\') at += 1;
      const from = characters[at] ?? '';
      const isRange =
        characters[at + 1] === '-' && characters[at + 2] !== undefined && characters[at + 2] !== ']';
      ranges.push([from, isRange ? (characters[at + 2] as string) : from]);
      at += isRange ? 3 : 1;
    }
    return undefined;
  }
}

function findClosed(characters: readonly string[]): Set<number> {
  const closed = new Set<number>();
  const open: { readonly at: number; readonly end: string }[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    const end = closers[character];
    if (character === '\\') at += 1;
    else if (end !== undefined) open.push({ at, end });
    else if (character === open.at(-1)?.end) closed.add(open.pop()?.at as number);
  }
  return closed;
}

function isSign(character: string): character is Sign {
  return '@?*+!'.includes(character);
}

/**
 * Expands a range: `1..3` is 1, 2, 3; `01..12` keeps its zeros; `a..c` is a, b, c. Returns undefined for any
 * other text.
 */
function expandRange(text: string): string[] | undefined {
  const [, from, to] = /^(\d{1,9}|[a-z]|[A-Z])\.\.(\d{1,9}|[a-z]|[A-Z])$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const isNumber = /^\d/.test(from);
  if (isNumber !== /^\d/.test(to)) return undefined;
  const [first, last] = isNumber ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const [low, high] = [Math.min(first, last), Math.max(first, last)];
  if (high - low >= MAX_RANGE) return undefined;
  const width = [from, to].some((each) => each.startsWith('0') && each.length > 1)
    ? Math.max(from.length, to.length)
    : 0;
  return Array.from({ length: high - low + 1 }, (_, k) =>
    isNumber ? String(low + k).padStart(width, '0') : String.fromCharCode(low + k),
  );
}

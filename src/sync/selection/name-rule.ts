import type { NameRule } from '../../load/rows/name-rule-sql.ts';
import { readGlob } from './glob.ts';
import type { Token } from './glob-reader.ts';
import { isPattern } from './select-series.ts';

/** Names that a pattern such as `{a,b}` may stand for, so that they are looked up one by one. */
const MOST_NAMES = 1_000;
/** Longer expressions take Postgres long to read. */
const MOST_CHARACTERS = 2_000;

/**
 * Turns a pattern for aliases into a rule that Postgres can compare. The rule matches the same aliases as
 * `matchSeries`. Returns undefined if no regular expression says the same: for groups such as `!(a|b)`, and
 * for patterns that are too long.
 */
export function ruleOf(pattern: string): NameRule | undefined {
  // Postgres has no such character, and takes no statement with one.
  if (pattern.includes('\0')) return undefined;
  if (pattern === '*') return { kind: 'any' };
  if (!isPattern(pattern)) return { kind: 'names', names: [pattern] };
  const { tokens, isContrary } = readGlob(pattern);
  const names = isContrary ? undefined : expand(tokens);
  if (names !== undefined) return { kind: 'names', names: [...new Set([...names, pattern])] };
  const body = regexOf(tokens);
  if (body === undefined || body.length > MOST_CHARACTERS) return undefined;
  return {
    kind: 'pattern',
    regex: `^(?:${body})$`,
    isContrary,
    literal: pattern,
    prefix: isContrary ? '' : commonStart(prefixOf(tokens), pattern),
  };
}

/** Lists the names that tokens stand for. Returns undefined if there are too many, or any number of them. */
function expand(tokens: readonly Token[]): string[] | undefined {
  let names = [''];
  for (const token of tokens) {
    const ends = endsOf(token);
    if (ends === undefined || names.length * ends.length > MOST_NAMES) return undefined;
    names = names.flatMap((name) => ends.map((end) => name + end));
  }
  return names;
}

function endsOf(token: Token): string[] | undefined {
  if (token.kind === 'character') return [token.character];
  if (token.kind !== 'group' || (token.sign !== '@' && token.sign !== '?')) return undefined;
  const choices = token.choices.map(expand);
  const ends = choices.flatMap((choice) => choice ?? []);
  if (choices.includes(undefined) || ends.length > MOST_NAMES) return undefined;
  return token.sign === '?' ? ['', ...ends] : ends;
}

function regexOf(tokens: readonly Token[]): string | undefined {
  let regex = '';
  for (const token of tokens) {
    const part = regexOfOne(token);
    if (part === undefined) return undefined;
    regex += part;
  }
  return regex;
}

function regexOfOne(token: Token): string | undefined {
  switch (token.kind) {
    case 'character':
      return token.character.replace(/[\\^$.|?*+()[\]{}]/, '\\$&');
    case 'any':
      return '.';
    case 'star':
      return '.*';
    case 'class':
      return classOf(token.ranges, token.isNegated);
    case 'group': {
      const choices = token.choices.map(regexOf);
      if (token.sign === '!' || choices.includes(undefined)) return undefined;
      return `(?:${choices.join('|')})${token.sign === '@' ? '' : token.sign}`;
    }
  }
}

/**
 * Writes characters by their numbers, so that none has a meaning of its own. Returns undefined for halves of
 * characters.
 */
function classOf(ranges: readonly (readonly [string, string])[], isNegated: boolean): string | undefined {
  if (ranges.flat().some((character) => /^$|\p{Cs}/u.test(character))) return undefined;
  const code = (character: string) => character.codePointAt(0) ?? 0;
  const number = (character: string) => `\\U${code(character).toString(16).padStart(8, '0')}`;
  // Postgres refuses a range that ends before it begins. Such a range has no character.
  const filled = ranges.filter(([from, to]) => code(from) <= code(to));
  if (filled.length === 0) return isNegated ? '.' : '(?!.).';
  return `[${isNegated ? '^' : ''}${filled.map(([from, to]) => `${number(from)}-${number(to)}`).join('')}]`;
}

function prefixOf(tokens: readonly Token[]): string {
  const end = tokens.findIndex(({ kind }) => kind !== 'character');
  return tokens
    .slice(0, end < 0 ? undefined : end)
    .map((token) => (token.kind === 'character' ? token.character : ''))
    .join('');
}

/** The text of the pattern itself matches, too, so the prefix is that of both. */
function commonStart(one: string, other: string): string {
  const [characters, others] = [[...one], [...other]];
  const end = characters.findIndex((character, k) => character !== others[k]);
  return characters.slice(0, end < 0 ? undefined : end).join('');
}

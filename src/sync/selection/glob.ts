import { GlobReader, type Sign, type Token } from './glob-reader.ts';

/** The characters of a name. */
type Characters = readonly string[] | string;

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Makes the matcher of a glob pattern. `*` and `?` stand for any characters. Classes are `[a-z]` and
 * `[!a-z]`; groups are `{a,b}`, `{1..9}`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)` and `!(a)`. A leading `!` inverts
 * the pattern, and a character after `\` means itself. All ways of matching are followed at once, so that the
 * time of a match never explodes, as with a regular expression.
 */
export function compileGlob(pattern: string): (name: string) => boolean {
  const { tokens, isContrary } = readGlob(pattern);
  const isPlain = tokens.every(({ kind }) => kind !== 'group');
  const matches = isPlain ? matchPlain : matchAll;
  return (name) => matches(tokens, SURROGATE.test(name) ? [...name] : name) !== isContrary;
}

/** Takes a pattern apart. `isContrary` tells whether names match that the parts do not match. */
export function readGlob(pattern: string): { tokens: readonly Token[]; isContrary: boolean } {
  const [bangs = ''] = /^!*(?!\()/.exec(pattern) ?? [];
  const tokens = new GlobReader(pattern.slice(bangs.length)).read();
  return { tokens, isContrary: bangs.length % 2 === 1 };
}

/**
 * Matches a pattern without groups. If the name does not go on like the pattern, the last `*` takes one
 * character more.
 */
function matchPlain(tokens: readonly Token[], name: Characters): boolean {
  let [at, next] = [0, 0];
  let star: { readonly behind: number; taken: number } | undefined;
  while (at < name.length) {
    const token = tokens[next];
    if (token?.kind === 'star') {
      next += 1;
      star = { behind: next, taken: at };
    } else if (token !== undefined && matchesOne(token, name[at] as string)) {
      at += 1;
      next += 1;
    } else if (star !== undefined) {
      star.taken += 1;
      at = star.taken;
      next = star.behind;
    } else return false;
  }
  while (tokens[next]?.kind === 'star') next += 1;
  return next === tokens.length;
}

function matchesOne(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'character':
      return token.character === character;
    case 'any':
      return true;
    case 'class':
      return isInRanges(token.ranges, character) !== token.isNegated;
    default:
      return false;
  }
}

/** Characters have the order of their numbers, as in Postgres. */
function isInRanges(ranges: readonly (readonly [string, string])[], character: string): boolean {
  const code = codeOf(character);
  return ranges.some(([from, to]) => codeOf(from) <= code && code <= codeOf(to));
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function matchAll(tokens: readonly Token[], name: Characters): boolean {
  return advance(tokens, name, new Set([0])).has(name.length);
}

/**
 * Returns the places in the name where a piece of the pattern can end, if the piece begins at a place of
 * `from`.
 */
function advance(tokens: readonly Token[], name: Characters, from: ReadonlySet<number>): ReadonlySet<number> {
  let places = from;
  for (const token of tokens) {
    if (places.size === 0) return places;
    places = advanceOne(token, name, places);
  }
  return places;
}

function advanceOne(token: Token, name: Characters, from: ReadonlySet<number>): ReadonlySet<number> {
  if (token.kind === 'group') return advanceGroup(token.sign, token.choices, { name, from });
  if (token.kind === 'star') return placesFrom(Math.min(...from), name);
  const places = new Set<number>();
  for (const at of from) if (at < name.length && matchesOne(token, name[at] as string)) places.add(at + 1);
  return places;
}

function placesFrom(first: number, name: Characters): Set<number> {
  return new Set(Array.from({ length: name.length - first + 1 }, (_, k) => first + k));
}

function advanceGroup(
  sign: Sign,
  choices: readonly (readonly Token[])[],
  { name, from }: { readonly name: Characters; readonly from: ReadonlySet<number> },
): ReadonlySet<number> {
  const once = (places: ReadonlySet<number>) =>
    new Set(choices.flatMap((choice) => [...advance(choice, name, places)]));
  if (sign === '@') return once(from);
  if (sign === '?') return new Set([...from, ...once(from)]);
  if (sign === '!') {
    const ends = [...from].flatMap((at) => {
      const taken = once(new Set([at]));
      return [...placesFrom(at, name)].filter((place) => !taken.has(place));
    });
    return new Set(ends);
  }
  const reached = new Set(sign === '*' ? from : []);
  for (let latest = from; latest.size > 0; ) {
    latest = new Set([...once(latest)].filter((place) => !reached.has(place)));
    for (const place of latest) reached.add(place);
  }
  return reached;
}

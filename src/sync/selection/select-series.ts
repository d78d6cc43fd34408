import { compileGlob } from './glob.ts';

/** Names of a series. */
export interface SeriesName {
  readonly object: string;
  readonly property: string;
}

/** Patterns for both names. */
export interface SeriesPattern {
  readonly objects: string;
  readonly properties: string;
}

/** Patterns that select properties. */
export interface SelectingPattern extends SeriesPattern {
  /** Whether it selects recorded properties only, or any. */
  readonly recorded: 'only' | 'any';
}

/** A property that may be selected. */
export interface SelectableSeries extends SeriesName {
  /** The platform keeps its values. */
  readonly recorded: boolean;
}

/** What selections take, and what they leave out. */
export interface Choice<Item> {
  /** By pattern. */
  readonly chosen: Item[][];
  /** Names match a pattern; the properties are not recorded, and no pattern that matches them takes any. */
  readonly unrecorded: Item[];
  /** Names match no pattern. */
  readonly unmatched: Item[];
}

/**
 * Gives each series to the first pattern that matches it, in the order of the patterns. A pattern that names one object and one property
 * in full has just that series, `named` says with what else, even where it is not among the others. Pure.
 */
export function selectSeries<Item extends SelectableSeries>(
  patterns: readonly SelectingPattern[],
  { properties, named }: { properties: readonly Item[]; named: (name: SeriesName) => Item },
): Choice<Item> {
  const taken = new Set<string>();
  const chosen = patterns.map((pattern) => {
    const matches = matchSeries(pattern);
    const candidates = isNamedInFull(pattern)
      ? [named({ object: pattern.objects, property: pattern.properties })]
      : properties.filter((each) => (each.recorded || pattern.recorded === 'any') && matches(each));
    const fresh = candidates.filter((each) => !taken.has(keyOf(each)));
    for (const each of fresh) taken.add(keyOf(each));
    return fresh;
  });
  const matchers = patterns.map(matchSeries);
  const matchesAny = (each: Item) => matchers.some((matches) => matches(each));
  const left = properties.filter((each) => !taken.has(keyOf(each)));
  return {
    chosen,
    unrecorded: left.filter(matchesAny),
    unmatched: left.filter((each) => !matchesAny(each)),
  };
}

/** True for a pattern that names one object and one property. */
export function isNamedInFull({ objects, properties }: SeriesPattern): boolean {
  return !isPattern(objects) && !isPattern(properties);
}

/** Aliases are no paths: a `*` matches a slash and a leading dot too. Text without a pattern matches to the letter. */
export function matchSeries({ objects, properties }: SeriesPattern): (name: SeriesName) => boolean {
  const [matchesObject, matchesProperty] = [glob(objects), glob(properties)];
  return ({ object, property }) => matchesObject(object) && matchesProperty(property);
}

function keyOf({ object, property }: SeriesName): string {
  return JSON.stringify([object, property]);
}

function isPattern(text: string): boolean {
  return /[*?[\]{}!()]/.test(text);
}

function glob(pattern: string): (alias: string) => boolean {
  if (pattern === '*') return () => true;
  if (!isPattern(pattern)) return (alias) => alias === pattern;
  const matches = compileGlob(pattern);
  return (alias) => alias === pattern || matches(alias);
}

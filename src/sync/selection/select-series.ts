import { compileGlob } from './glob.ts';

/** Names of a series. */
export interface SeriesName {
  readonly object: string;
  readonly property: string;
}

/** Patterns for both names of a series. */
export interface SeriesPattern {
  readonly objects: string;
  readonly properties: string;
}

/** Patterns that select properties: recorded ones only, or any. */
export interface SelectingPattern extends SeriesPattern {
  /** Whether only recorded properties are selected, or any. */
  readonly recorded: 'only' | 'any';
}

/** A property that may be selected. */
export interface SelectableSeries extends SeriesName {
  /** Whether the platform records the values of the property. */
  readonly recorded: boolean;
}

/** The series that each pattern takes, and the properties that no pattern takes. */
export interface Choice<Item> {
  /** The series of each pattern, in the order of the patterns. */
  readonly chosen: Item[][];
  /**
   * Properties that match a pattern by name, but are not recorded. No pattern that matches them takes any
   * property.
   */
  readonly unrecorded: Item[];
  /** Properties whose names match no pattern. */
  readonly unmatched: Item[];
}

/**
 * Gives each series to the first pattern that matches it. A pattern that names one object and one property in
 * full takes just that series, even if it is not among `properties`. `named` completes such a series. Pure.
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

/** Tells whether a pattern names one object and one property. */
export function isNamedInFull({ objects, properties }: SeriesPattern): boolean {
  return !isPattern(objects) && !isPattern(properties);
}

/**
 * Makes the matcher of a pattern. Aliases are no paths: a `*` matches a slash and a leading dot, too. Text
 * without a pattern matches to the letter.
 */
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

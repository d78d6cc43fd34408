import { Breaks } from '../../breaks.ts';
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
export async function selectSeries<Item extends SelectableSeries>(
  patterns: readonly SelectingPattern[],
  { properties, named }: { properties: readonly Item[]; named: (name: SeriesName) => Item },
): Promise<Choice<Item>> {
  const breaks = new Breaks();
  const keep = async (items: readonly Item[], isKept: (item: Item) => boolean): Promise<Item[]> => {
    const kept: Item[] = [];
    for (const item of items) {
      if (breaks.due) await breaks.take();
      if (isKept(item)) kept.push(item);
    }
    return kept;
  };
  const taken = new Set<string>();
  const isFresh = (each: Item) => !taken.has(keyOf(each));
  const chosen: Item[][] = [];
  for (const pattern of patterns) {
    const matches = matchSeries(pattern);
    const fresh = isNamedInFull(pattern)
      ? [named({ object: pattern.objects, property: pattern.properties })].filter(isFresh)
      : await keep(
          properties,
          (each) => (each.recorded || pattern.recorded === 'any') && matches(each) && isFresh(each),
        );
    await keep(fresh, (each) => taken.add(keyOf(each)) !== undefined);
    chosen.push(fresh);
  }
  const matchers = patterns.map(matchSeries);
  const matchesAny = (each: Item) => matchers.some((matches) => matches(each));
  const left = await keep(properties, isFresh);
  const unrecorded = await keep(left, matchesAny);
  const matched = new Set(unrecorded);
  return { chosen, unrecorded, unmatched: await keep(left, (each) => !matched.has(each)) };
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
  const [matchesObject, matchesProperty] = [matchName(objects), matchName(properties)];
  return ({ object, property }) => matchesObject(object) && matchesProperty(property);
}

/** Returns the pattern that matches this name only. */
export function patternOf(name: string): string {
  return isPattern(name) ? name.replace(/[\\*?[\]{}!()]/g, '\\$&') : name;
}

/** Returns the pattern that matches these names only. */
export function patternOfAny(names: readonly string[]): string {
  const literal = (name: string) => name.replace(/[\\*?[\]{}!(),]/g, '\\$&');
  return names.length === 1 ? patternOf(names[0] as string) : `{${names.map(literal).join(',')}}`;
}

function keyOf({ object, property }: SeriesName): string {
  return JSON.stringify([object, property]);
}

/** Tells whether a text stands for other names than itself. */
export function isPattern(text: string): boolean {
  return /[*?[\]{}!()]/.test(text);
}

/** Makes the matcher of a pattern for one name. */
export function matchName(pattern: string): (alias: string) => boolean {
  if (pattern === '*') return () => true;
  if (!isPattern(pattern)) return (alias) => alias === pattern;
  const matches = compileGlob(pattern);
  return (alias) => alias === pattern || matches(alias);
}

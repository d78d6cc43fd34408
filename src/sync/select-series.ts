import picomatch from 'picomatch';

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

/**
 * Gives each series to the first pattern that matches it, in the order of the patterns. A pattern that names one object and one property
 * in full has just that series, `named` says with what else, even where it is not among the others. Pure.
 */
export function selectSeries<Item extends SeriesName>(
  patterns: readonly SeriesPattern[],
  { recorded, named }: { recorded: readonly Item[]; named: (name: SeriesName) => Item },
): Item[][] {
  const taken = new Set<string>();
  return patterns.map((pattern) => {
    const candidates = isNamedInFull(pattern)
      ? [named({ object: pattern.objects, property: pattern.properties })]
      : recorded.filter(matchSeries(pattern));
    const fresh = candidates.filter((each) => !taken.has(keyOf(each)));
    for (const each of fresh) taken.add(keyOf(each));
    return fresh;
  });
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
  const matches = picomatch(pattern, { bash: true, dot: true });
  return (alias) => alias === pattern || matches(alias);
}

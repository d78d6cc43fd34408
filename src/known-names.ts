import { UsageError } from './errors.ts';
import { nearest } from './nearest.ts';

/** Checks names. Throws a `UsageError` that lists every unknown name, each with the nearest known name. */
export function requireKnown(names: readonly string[], known: readonly string[]): void {
  const problems = names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      return `${name}: ${guess ? `did you mean ${guess}?` : `known are ${known.join(', ')}`}`;
    });
  if (problems.length > 0) throw new UsageError('usage.unknown_stream', 'There is no such stream:', problems);
}

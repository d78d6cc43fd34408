/** Writes a number as people read it: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/**
 * Writes a number with its noun: `1 object`, `12,345 objects`. `many` is the plural, if it is not `one` with
 * an `s`.
 */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/**
 * The fractional parts of the multiples of the golden ratio are spread evenly, for any number of multiples.
 */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Picks at most `count` items from all over a list, in the order of the list. The distances between them are
 * irregular: names often follow a count, and every hundredth name would be alike.
 */
export function sampleEvenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  const places = new Set<number>();
  for (let k = 1; places.size < count; k += 1) places.add(Math.floor(((k * GOLDEN) % 1) * items.length));
  return items.filter((_, place) => places.has(place));
}

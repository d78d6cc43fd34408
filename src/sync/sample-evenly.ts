/** Multiples of the golden ratio, less their whole part, are spread evenly, however many they are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * So many items of a list at most, from all over it, in its order. They are at no regular distance: names often follow a count, and
 * every hundredth of them would be alike.
 */
export function sampleEvenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  const places = new Set<number>();
  for (let k = 1; places.size < count; k += 1) places.add(Math.floor(((k * GOLDEN) % 1) * items.length));
  return items.filter((_, place) => places.has(place));
}

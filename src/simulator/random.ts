/**
 * Numbers that look random. Each is computed from the place that it belongs to. So any record or point can be
 * made again from its place alone, without memory.
 */

/** Mixes two integers into one of 32 bits. */
export function mix(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Mixes a text into a seed (FNV-1a over its UTF-16 units). */
export function mixText(seed: number, text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(seed, hash);
}

/** Returns a hash as a number of `[0, 1)`. */
export function unit(hash: number): number {
  return hash / 4_294_967_296;
}

/** Returns the entry of a list that a hash stands for. The list must not be empty. */
export function pick<List extends readonly [unknown, ...unknown[]]>(list: List, hash: number): List[number] {
  return list[hash % list.length];
}

import { distance } from 'fastest-levenshtein';

/**
 * Returns the candidate that differs least from `word`. Returns undefined if no candidate is near enough to
 * be the word that was meant.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 3))
    ? best.candidate
    : undefined;
}

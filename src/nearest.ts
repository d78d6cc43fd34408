import { distance } from 'fastest-levenshtein';

/**
 * Returns the candidate that differs least from `word`. Returns undefined if no candidate is near enough to
 * be the word that was meant.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const bound = Math.max(2, Math.floor(word.length / 3));
  const ranked = candidates
    // Two words differ by no less than their lengths: to compare a very long one would take seconds.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= bound)
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= bound ? best.candidate : undefined;
}

import type { VerifyReport } from '../../../src/sync/verify/verify-history.ts';
import type { SeriesDifferences } from '../../../src/sync/verify/verify-report.ts';

/**
 * Counts the missing, extra and different points, by the kind of the store and the name that `nameOf`
 * returns.
 */
export function countsOf(
  { stores }: VerifyReport,
  nameOf: (differences: SeriesDifferences) => string | undefined,
): Record<string, [missing: number, extra: number, different: number]> {
  return Object.fromEntries(
    stores.flatMap(({ kind, differences }) =>
      differences.map((each) => [
        `${kind} ${nameOf(each)}`,
        [each.missing.count, each.extra.count, each.different.count],
      ]),
    ),
  );
}

import type { CoverageGaps } from '../../api/coverage.ts';
import { ask } from '../app/api.ts';
import { type FillTarget, fillOf } from './fill-dialog.tsx';
import { gapsPath, type MapChoice } from './map-state.ts';

/** Most gaps that are looked at for one backfill. */
const MOST_GAPS = 500;

/**
 * Finds what a backfill reads to fill the gaps of some series: from the begin of the first to the end of the
 * last. If one series has all the gaps, the others are not read.
 */
export async function findTarget(
  choice: MapChoice,
  place: Parameters<typeof gapsPath>[1],
  name: string,
): Promise<FillTarget | 'too many' | undefined> {
  const { items, more, fill } = await ask<CoverageGaps>(gapsPath(choice, place, MOST_GAPS));
  const [first] = items;
  if (first === undefined) return undefined;
  // ISO times in UTC sort as text.
  const from = items.map((gap) => gap.from).sort()[0] as string;
  const to = items
    .map((gap) => gap.to)
    .sort()
    .at(-1) as string;
  const nameOf = (gap: typeof first) => `${gap.first.object}.${gap.first.property}`;
  const isOfOne = !more && items.every((gap) => gap.series === 1 && nameOf(gap) === nameOf(first));
  const own = isOfOne ? first.fill : fill;
  if (own === undefined) return 'too many';
  const isSeries = isOfOne && first.first.property !== '';
  return { ...fillOf(choice, own), from, to, name: isSeries ? nameOf(first) : name };
}

import type { Removal } from '../../../../src/load/stores/store.ts';
import { rewriteLines } from './append.ts';
import { decodeLine, type Line } from './lines.ts';

/** Removes the points of a file that lie in the ranges. */
export function removePoints(path: string, removals: readonly Removal[]): Promise<void> {
  const isGone = ({ tags, at }: Line) =>
    removals.some(
      ({ series, ranges }) =>
        series.object === tags.object &&
        series.property === tags.property &&
        ranges.some(({ from, to }) => at >= from && at < to),
    );
  return rewriteLines(path, (lines) => lines.filter((line) => !isGone(decodeLine(line))));
}

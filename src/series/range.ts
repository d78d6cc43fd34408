import type { Range } from './types.ts';

/** A set of instants as ranges. The ranges are ascending and not empty; they neither overlap nor touch. */
export type RangeSet = readonly Range[];

/**
 * Makes a range set of any ranges. Empty and inverted ranges are dropped; overlapping and touching ranges are
 * joined.
 */
export function toRangeSet(ranges: Iterable<Range>): RangeSet {
  const sorted = [...ranges].filter((range) => range.from < range.to).sort((a, b) => a.from - b.from);
  const set: Range[] = [];
  for (const range of sorted) {
    const last = set.at(-1);
    if (last === undefined || range.from > last.to) set.push(range);
    else if (range.to > last.to) set[set.length - 1] = { from: last.from, to: range.to };
  }
  return set;
}

/** Returns the instants that are in `a` or `b`. */
export function unite(a: RangeSet, b: RangeSet): RangeSet {
  return toRangeSet([...a, ...b]);
}

/** Returns the instants that are in `a` and `b`. */
export function intersect(a: RangeSet, b: RangeSet): RangeSet {
  const set: Range[] = [];
  let i = 0;
  let j = 0;
  for (let left = a[i], right = b[j]; left !== undefined && right !== undefined; left = a[i], right = b[j]) {
    const from = Math.max(left.from, right.from);
    const to = Math.min(left.to, right.to);
    if (from < to) set.push({ from, to });
    if (left.to < right.to) i += 1;
    else j += 1;
  }
  return set;
}

/** Returns the instants of `a` that are not in `b`: the gaps, if `a` is wanted and `b` is covered. */
export function subtract(a: RangeSet, b: RangeSet): RangeSet {
  const set: Range[] = [];
  let j = 0;
  for (const range of a) {
    let from = range.from;
    for (let hole = b[j]; hole !== undefined && hole.from < range.to; hole = b[j]) {
      if (hole.from > from) set.push({ from, to: hole.from });
      from = Math.max(from, hole.to);
      if (hole.to > range.to) break;
      j += 1;
    }
    if (from < range.to) set.push({ from, to: range.to });
  }
  return set;
}

/** Returns the microseconds that a set holds. */
export function widthOf(set: RangeSet): number {
  return set.reduce((sum, range) => sum + range.to - range.from, 0);
}

/** A range of time in which the same sets of a list have all instants. */
export interface Overlay {
  readonly range: Range;
  /** Positions of the sets that hold this range, in the list given. */
  readonly members: readonly number[];
}

/**
 * Lays range sets over each other. Returns ascending ranges that are cut where membership changes; ranges in
 * no set are left out.
 */
export function overlay(sets: readonly RangeSet[]): Overlay[] {
  const bounds = [...new Set(sets.flatMap((set) => set.flatMap((range) => [range.from, range.to])))].sort(
    (a, b) => a - b,
  );
  const stretches: Overlay[] = [];
  for (let k = 0; k + 1 < bounds.length; k += 1) {
    const range = { from: bounds[k] as number, to: bounds[k + 1] as number };
    const members = sets.flatMap((set, position) => (intersect(set, [range]).length > 0 ? [position] : []));
    if (members.length > 0) stretches.push({ range, members });
  }
  return stretches;
}

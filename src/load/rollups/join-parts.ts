import type { PoolClient } from 'pg';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import type { Covered } from '../../series/covered.ts';
import { NumberRows } from '../../series/number-rows.ts';
import type { RangeSet } from '../../series/range.ts';
import { column, ROLLUP_COLUMNS } from '../../series/rollup.ts';
import { RollupJoiner } from '../../series/rollup-joiner.ts';
import type { Range } from '../../series/types.ts';
import { findCarried } from './look-up.ts';
import { placesOf } from './places.ts';
import { type CarriedPoints, keyOfCarried } from './rollup-tables.ts';

/** Where the rollups of one series are made. */
export interface Stretches {
  readonly covered: Covered;
  /** Whole buckets, whose points are all known. */
  readonly stretches: RangeSet;
}

export interface PartJoining {
  readonly tables: RollupTables;
  /** Pieces, or rollups of smaller buckets. */
  readonly parts: NumberRows;
  readonly isWhole: boolean;
  readonly series: ReadonlyMap<number, Stretches>;
  bucketAt(us: number): Range;
}

/** Joins the parts that lie in the stretches of their series to the rollups of their buckets. */
export async function joinParts(tx: PoolClient, joining: PartJoining): Promise<NumberRows> {
  const { tables, parts, series } = joining;
  const order = parts.positions().sort((a, b) => compare(parts, a, b));
  const ids = new Set(order.map((part) => parts.get(part, column.seriesId)));
  const places = [...ids].flatMap((id) => placesOf(id, series.get(id)?.stretches ?? []));
  return joinInOrder(order, await findCarried(tx, tables, places), joining);
}

function compare(parts: NumberRows, a: number, b: number): number {
  return (
    parts.get(a, column.seriesId) - parts.get(b, column.seriesId) ||
    parts.get(a, column.firstAt) - parts.get(b, column.firstAt)
  );
}

function joinInOrder(
  order: readonly number[],
  carried: CarriedPoints,
  { parts, isWhole, series, bucketAt }: PartJoining,
): NumberRows {
  const rollups = new NumberRows(ROLLUP_COLUMNS, order.length);
  let walk: SeriesWalk | undefined;
  for (let begin = 0, end = 0; begin < order.length; begin = end) {
    const seriesId = parts.get(order[begin] as number, column.seriesId);
    const bucket = bucketAt(parts.get(order[begin] as number, column.bucket));
    const isIn = (part: number | undefined): boolean =>
      part !== undefined &&
      parts.get(part, column.seriesId) === seriesId &&
      parts.get(part, column.bucket) < bucket.to;
    do end += 1;
    while (isIn(order[end]));
    const own = series.get(seriesId);
    if (own === undefined) continue;
    if (walk?.seriesId !== seriesId)
      walk = new SeriesWalk(seriesId, {
        ...{ joiner: new RollupJoiner({ parts, rollups, isWhole }, own.covered), carried },
        stretches: own.stretches,
      });
    walk.joinerAt(bucket)?.join(order.slice(begin, end), bucket);
  }
  return rollups;
}

/** Leads the joiner of one series from stretch to stretch. */
class SeriesWalk {
  readonly seriesId: number;
  readonly #joiner: RollupJoiner;
  readonly #stretches: RangeSet;
  readonly #carried: CarriedPoints;
  #k = -1;

  constructor(
    seriesId: number,
    parts: { joiner: RollupJoiner; stretches: RangeSet; carried: CarriedPoints },
  ) {
    this.seriesId = seriesId;
    this.#joiner = parts.joiner;
    this.#stretches = parts.stretches;
    this.#carried = parts.carried;
  }

  /** Returns the joiner, ready for a bucket. Returns undefined outside all stretches. */
  joinerAt({ from }: Range): RollupJoiner | undefined {
    while ((this.#stretches[this.#k]?.to ?? Number.NEGATIVE_INFINITY) <= from) {
      this.#k += 1;
      const stretch = this.#stretches[this.#k];
      if (stretch === undefined) return undefined;
      this.#joiner.carry(this.#carried.get(keyOfCarried(this.seriesId, stretch.from)));
    }
    return from >= (this.#stretches[this.#k] as Range).from ? this.#joiner : undefined;
  }
}

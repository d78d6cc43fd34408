import type { Covered } from './covered.ts';
import type { NumberRows } from './number-rows.ts';
import { column } from './rollup.ts';
import type { Range } from './types.ts';

/** A point before a bucket, whose value may last into the bucket. */
export interface Carried {
  readonly at: number;
  readonly value: number | null;
}

/** What is joined, and where the rollups go. */
export interface Joining {
  /** Pieces, or rollups of smaller buckets. */
  readonly parts: NumberRows;
  readonly rollups: NumberRows;
  /** Whether the parts are rollups, whose integral is known over their whole bucket. */
  readonly isWhole: boolean;
}

const SUMS = [column.count, column.valued, column.sum, column.integral, column.knownSec];

/**
 * Makes the rollups of one series from its parts, in the order of time. Each rollup begins with the value
 * that the one before leaves.
 */
export class RollupJoiner {
  readonly #parts: NumberRows;
  readonly #rollups: NumberRows;
  readonly #from: number;
  readonly #to: number;
  readonly #covered: Covered;
  /** The last point so far. Its value is NaN if it has no number, or if there is no such point. */
  #at = 0;
  #value = Number.NaN;

  constructor({ parts, rollups, isWhole }: Joining, covered: Covered) {
    this.#parts = parts;
    this.#rollups = rollups;
    this.#from = isWhole ? column.bucket : column.firstAt;
    this.#to = isWhole ? column.endsAt : column.lastAt;
    this.#covered = covered;
  }

  /** Lets the next bucket begin with the value of a point. */
  carry(point: Carried | undefined): void {
    this.#at = point?.at ?? 0;
    this.#value = point?.value ?? Number.NaN;
  }

  /** Makes the rollup of a bucket from its parts: those at the positions in `order`, which is not empty. */
  join(order: readonly number[], bucket: Range): void {
    const parts = this.#parts;
    const rollup = this.#rollups.addFrom(parts, order[0] as number);
    let from = bucket.from;
    for (let k = 0; k < order.length; k += 1) {
      const part = order[k] as number;
      this.#last(rollup, from, parts.get(part, this.#from));
      if (k > 0) this.#add(rollup, part);
      this.#at = parts.get(part, column.lastAt);
      this.#value = parts.get(part, column.last);
      from = parts.get(part, this.#to);
    }
    this.#last(rollup, from, bucket.to);
    this.#rollups.set(rollup, column.bucket, bucket.from);
    this.#rollups.set(rollup, column.lastAt, this.#at);
    this.#rollups.set(rollup, column.last, this.#value);
    this.#rollups.set(rollup, column.endsAt, bucket.to);
    this.#rollups.set(rollup, column.coveredSec, this.#covered.secondsIn(bucket));
  }

  #add(rollup: number, part: number): void {
    const parts = this.#parts;
    const rollups = this.#rollups;
    for (const each of SUMS) rollups.increase(rollup, each, parts.get(part, each));
    const min = parts.get(part, column.min);
    const max = parts.get(part, column.max);
    // A comparison with NaN is false.
    if (!(min >= rollups.get(rollup, column.min) || Number.isNaN(min))) rollups.set(rollup, column.min, min);
    if (!(max <= rollups.get(rollup, column.max) || Number.isNaN(max))) rollups.set(rollup, column.max, max);
  }

  /** Lets the value of the last point last from an instant to another, as far as that is covered. */
  #last(rollup: number, from: number, to: number): void {
    if (Number.isNaN(this.#value)) return;
    const sec = (Math.min(to, this.#covered.endAfter(this.#at)) - from) / 1e6;
    if (sec <= 0) return;
    this.#rollups.increase(rollup, column.integral, this.#value * sec);
    this.#rollups.increase(rollup, column.knownSec, sec);
  }
}

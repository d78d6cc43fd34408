import type { Range } from './types.ts';

/** What is covered of one series. Questions in the order of time cost the least. */
export class Covered {
  readonly #ranges: readonly Range[];
  #k = 0;

  /** @param ranges ascending and disjoint */
  constructor(ranges: readonly Range[]) {
    this.#ranges = ranges;
  }

  /** Returns how far everything from an instant on is covered. Returns the instant itself if it is not. */
  endAfter(at: number): number {
    const range = this.#seek(at);
    return range !== undefined && range.from <= at ? range.to : at;
  }

  /** Returns the seconds of a range that are covered. */
  secondsIn({ from, to }: Range): number {
    let us = 0;
    this.#seek(from);
    for (let k = this.#k; k < this.#ranges.length; k += 1) {
      const range = this.#ranges[k] as Range;
      if (range.from >= to) break;
      us += Math.min(to, range.to) - Math.max(from, range.from);
    }
    return us / 1e6;
  }

  /** Finds the first range that ends after an instant. */
  #seek(at: number): Range | undefined {
    const ranges = this.#ranges;
    while (this.#k > 0 && (ranges[this.#k - 1] as Range).to > at) this.#k -= 1;
    while (this.#k < ranges.length && (ranges[this.#k] as Range).to <= at) this.#k += 1;
    return ranges[this.#k];
  }
}

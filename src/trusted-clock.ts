import { steadyMs } from './steady-clock.ts';

/**
 * Tells the time by three clocks: ours, the database's and the platform's. The middle one of the three
 * counts, so that a single wrong clock dates nothing. While only one of the others is known, our clock
 * counts. Between two readings of another clock its time is carried on by a clock that nobody sets.
 */
export class TrustedClock {
  readonly #own: () => number;
  readonly #steadyMs: () => number;
  /** The time of each other clock, minus the time of the clock that nobody sets. */
  readonly #others = new Map<'database' | 'platform', number>();

  constructor(parts: { own: () => number; steadyMs: () => number } = { own: Date.now, steadyMs }) {
    this.#own = parts.own;
    this.#steadyMs = parts.steadyMs;
  }

  /** Notes the time that another clock shows now, in epoch milliseconds. */
  note(whose: 'database' | 'platform', ms: number): void {
    this.#others.set(whose, ms - this.#steadyMs());
  }

  /** Returns the time in whole epoch milliseconds. */
  nowMs = (): number => {
    const own = this.#own();
    const [one, other] = [...this.#others.values()].map((distanceMs) => this.#steadyMs() + distanceMs);
    if (one === undefined || other === undefined) return own;
    return Math.round(Math.max(Math.min(one, other), Math.min(own, Math.max(one, other))));
  };
}

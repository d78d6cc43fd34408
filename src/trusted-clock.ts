import { steadyMs } from './steady-clock.ts';

/**
 * The time by three clocks: ours, the database's and the platform's. The one in the middle holds, so that no single wrong one dates
 * anything; while only one other is known, ours does. What the others said last is carried on by a clock that nobody sets.
 */
export class TrustedClock {
  readonly #own: () => number;
  readonly #steadyMs: () => number;
  /** What each of the others shows, minus the clock that nobody sets. */
  readonly #others = new Map<'database' | 'platform', number>();

  constructor(parts: { own: () => number; steadyMs: () => number } = { own: Date.now, steadyMs }) {
    this.#own = parts.own;
    this.#steadyMs = parts.steadyMs;
  }

  /** What another clock shows now, epoch milliseconds. */
  note(whose: 'database' | 'platform', ms: number): void {
    this.#others.set(whose, ms - this.#steadyMs());
  }

  /** Epoch milliseconds, whole ones. */
  nowMs = (): number => {
    const own = this.#own();
    const [one, other] = [...this.#others.values()].map((distanceMs) => this.#steadyMs() + distanceMs);
    if (one === undefined || other === undefined) return own;
    return Math.round(Math.max(Math.min(one, other), Math.min(own, Math.max(one, other))));
  };
}

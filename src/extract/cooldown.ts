/** What cannot be had is asked for again after this time. */
const ASK_AGAIN_MS = 10 * 60_000;

/** Things (objects, series) that the platform could not give: they are left out for ten minutes, so that the others are not held up. */
export class Cooldown<Key> {
  readonly #clock: () => number;
  readonly #aside = new Map<Key, { readonly againMs: number; readonly reason: string }>();

  /** @param clock epoch milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  put(key: Key, reason: string): void {
    this.#aside.set(key, { againMs: this.#clock() + ASK_AGAIN_MS, reason });
  }

  /** Why it is set aside, also when its time is over; undefined if it is not. */
  reasonOf(key: Key): string | undefined {
    return this.#aside.get(key)?.reason;
  }

  /** True while it shall not be asked for. */
  rests(key: Key): boolean {
    const aside = this.#aside.get(key);
    return aside !== undefined && aside.againMs > this.#clock();
  }

  /** It can be had again. */
  take(key: Key): void {
    this.#aside.delete(key);
  }
}

/** A key that is set aside is asked for again after this time. */
const ASK_AGAIN_MS = 10 * 60_000;

/**
 * Sets aside keys (objects, series) that the platform could not answer. They are left out for ten minutes, so
 * that the others are not held up.
 */
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

  /**
   * Returns why a key is set aside, even when its time is over. Returns undefined if the key is not set
   * aside.
   */
  reasonOf(key: Key): string | undefined {
    return this.#aside.get(key)?.reason;
  }

  /** Returns true while a key must not be asked for. */
  rests(key: Key): boolean {
    const aside = this.#aside.get(key);
    return aside !== undefined && aside.againMs > this.#clock();
  }

  /** Ends the setting aside of a key, because the platform answers it again. */
  take(key: Key): void {
    this.#aside.delete(key);
  }
}

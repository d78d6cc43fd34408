/** A key that is set aside is asked for again after this time. */
const ASK_AGAIN_MS = 10 * 60_000;
/** Works whose keys are kept at once. Those of the oldest are forgotten. */
const MOST_WORKS = 8;

/**
 * Sets aside keys (objects, series) that the platform could not answer. They are left out for ten minutes, so
 * that the others are not held up.
 */
export class Cooldown<Key> {
  readonly #clock: () => number;
  readonly #aside = new Map<Key, { readonly againMs: number; readonly reason: string }>();
  readonly #works = new Map<string, Cooldown<Key>>();

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
    return this.restMs(key) > 0;
  }

  /** Returns for how long a key must not be asked for. */
  restMs(key: Key): number {
    return Math.max(0, (this.#aside.get(key)?.againMs ?? 0) - this.#clock());
  }

  /** Ends the setting aside of a key, because the platform answers it again. */
  take(key: Key): void {
    this.#aside.delete(key);
  }

  /**
   * Returns the cooldown of one work, which begins without keys. A work that people ask for tries each key at
   * once. All parts of a work share it by their name for the work.
   */
  forWork(name: string): Cooldown<Key> {
    const own = this.#works.get(name) ?? new Cooldown<Key>(this.#clock);
    this.#works.delete(name);
    this.#works.set(name, own);
    const [oldest] = this.#works.keys();
    if (oldest !== undefined && this.#works.size > MOST_WORKS) this.#works.delete(oldest);
    return own;
  }
}

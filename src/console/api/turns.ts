import { PlantsyncError } from '../../errors.ts';

export interface TurnBounds {
  /** Works that go on at once. */
  readonly most: number;
  /** Works that may wait for their turn. */
  readonly mostWaiting: number;
}

/**
 * Lets a bounded number of works go on at once. The others wait, and the oldest of them is the next. So the
 * work of the service always finds free connections to the database.
 */
export class Turns {
  readonly #bounds: TurnBounds;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  /**
   * Waits for a turn. Resolves to the function that ends it. Throws a `PlantsyncError` if too many wait
   * already, and the signal's reason once it aborts.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken >= this.#bounds.most) await this.#wait(signal);
    else this.#taken += 1;
    let hasEnded = false;
    return () => {
      if (!hasEnded) this.#passOn();
      hasEnded = true;
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#bounds.mostWaiting) throw tooMany();
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(begin);
    });
  }

  /** Gives a turn that has ended to the oldest that waits. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

function tooMany(): PlantsyncError {
  return new PlantsyncError('console.busy', 'the console has too much to answer: try again in a while', {
    action: 'retry',
  });
}

import { setMaxListeners } from 'node:events';
import { type FollowedSignal, followSignal } from '../../follow-signal.ts';

/** The signal of all calls that follow one signal of a caller. */
interface Followed extends FollowedSignal {
  calls: number;
}

/**
 * Gives each call a signal that aborts with the signal of its caller, and when the client closes. Calls of
 * one run share it, since making a signal costs more than the rest of a short call.
 */
export class CallSignals {
  readonly #open = new Map<AbortSignal | undefined, Followed>();
  #closed: { readonly reason: unknown } | undefined;

  /** Returns the signal of a call that begins. `leave` must be called with the same signal at its end. */
  enter(outer: AbortSignal | undefined): AbortSignal {
    const followed = this.#open.get(outer) ?? this.#follow(outer);
    followed.calls += 1;
    return followed.controller.signal;
  }

  leave(outer: AbortSignal | undefined): void {
    const followed = this.#open.get(outer);
    if (followed === undefined) return;
    followed.calls -= 1;
    if (followed.calls > 0) return;
    followed.stop();
    this.#open.delete(outer);
  }

  /** Aborts all calls that are under way, and every later call. */
  close(reason: unknown): void {
    this.#closed = { reason };
    for (const { controller } of this.#open.values()) controller.abort(reason);
  }

  #follow(outer: AbortSignal | undefined): Followed {
    const followed = { ...followSignal(outer), calls: 0 };
    const { controller } = followed;
    setMaxListeners(0, controller.signal);
    if (this.#closed !== undefined) controller.abort(this.#closed.reason);
    this.#open.set(outer, followed);
    return followed;
  }
}

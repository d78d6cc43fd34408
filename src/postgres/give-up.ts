import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

/**
 * Does work that may be given up. When the signal aborts, the server ends the statements of the work that it
 * is at, and no further one begins. So a question that nobody waits for takes nothing from the server.
 */
export function withGiveUp<T>(signal: AbortSignal, work: () => T): T {
  return signals.run(signal, work);
}

/** Throws the reason if the work around this was given up. */
export function throwIfGivenUp(): void {
  signals.getStore()?.throwIfAborted();
}

/**
 * Calls `cancel` once if the work around this is given up. The function that is returned ends that, and waits
 * until `cancel` is done: the session must not do anything else before.
 */
export function cancelWhenGivenUp(cancel: () => Promise<unknown>): () => Promise<void> {
  const signal = signals.getStore();
  if (signal === undefined) return async () => undefined;
  let cancelling: Promise<unknown> | undefined;
  const giveUp = () => {
    // The statement then goes on to its end, as it would without a way to cancel it.
    cancelling = signals.exit(cancel).catch(() => undefined);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  return async () => {
    signal.removeEventListener('abort', giveUp);
    await cancelling;
  };
}

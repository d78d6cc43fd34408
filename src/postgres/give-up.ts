import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

/**
 * Does work that may be given up. When the signal aborts, the server ends the statements of the work that it
 * is at, and no further one begins. So a question that nobody waits for takes nothing from the server.
 */
export function withGiveUp<T>(signal: AbortSignal, work: () => T): T {
  return signals.run(signal, work);
}

/** Does work whose result others share: it goes on when the work around this is given up. */
export function withoutGiveUp<T>(work: () => T): T {
  return signals.exit(work);
}

/** Gives back what was waited for and throws the reason, if the work around this was given up meanwhile. */
export function throwIfGivenUp(giveBack: () => void): void {
  const signal = signals.getStore();
  if (signal?.aborted !== true) return;
  giveBack();
  throw signal.reason;
}

/** A server that has not begun a statement yet ignores that it is cancelled, so it is told again. */
const AGAIN_MS = 500;

/**
 * Calls `cancel` when the work around this is given up, and again until the statement has ended. The function
 * that is returned ends that, and waits until `cancel` is done: the session must not do anything else before.
 */
export function cancelWhenGivenUp(cancel: () => Promise<unknown>): () => Promise<void> {
  const signal = signals.getStore();
  if (signal === undefined) return async () => undefined;
  let cancelling: Promise<unknown> | undefined;
  let again: NodeJS.Timeout | undefined;
  const giveUp = () => {
    // A server that cannot be told goes on to the end of the statement.
    cancelling = withoutGiveUp(cancel).catch(() => undefined);
    again = setTimeout(giveUp, AGAIN_MS).unref();
  };
  signal.addEventListener('abort', giveUp, { once: true });
  return async () => {
    signal.removeEventListener('abort', giveUp);
    clearTimeout(again);
    await cancelling;
  };
}

import { setTimeout } from 'node:timers/promises';

/** Waits for `ms` milliseconds. The wait ends sooner when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits for `ms` milliseconds. Rejects with the signal's reason when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Waits for `ms` milliseconds, or until the signal aborts. Resolves in both cases. */
export async function sleepOrWake(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Resolves when one of the signals aborts. Then it no longer listens to any of them. */
export function whenAborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    for (const signal of signals) signal.addEventListener('abort', end, { once: true });
    if (signals.some(({ aborted }) => aborted)) end();
  });
}

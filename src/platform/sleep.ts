import { setTimeout } from 'node:timers/promises';

/** Waits; rejects with the signal's reason when it aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await setTimeout(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

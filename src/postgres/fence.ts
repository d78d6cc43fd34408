import { AsyncLocalStorage } from 'node:async_hooks';

/** Says whether some work may still write, or has lost this right since another process does it now. */
export interface Fence {
  /** Throws a `StoreError` if the right has ended, as far as this process can tell. */
  confirm(): Promise<void>;
  /** True if the right has ended as far as this process knows. */
  readonly hasEnded: boolean;
  /**
   * A query that fails with `division_by_zero` if the right has ended. Otherwise the right holds until the
   * transaction ends.
   */
  readonly checkSql: string;
  /** The message for work that wrote too late. */
  readonly endedMessage: string;
}

const fences = new AsyncLocalStorage<Fence | undefined>();

/**
 * Does work behind a fence. Every transaction and every writing statement of the work asks the fence in the
 * same message that commits. If the right ended while the process stood still, nothing more is written. The
 * fence `undefined` takes a fence away, for statements that do not belong to the work.
 */
export function withFence<T>(fence: Fence | undefined, work: () => T): T {
  return fences.run(fence, work);
}

/** Returns the fence around the work that is being done. */
export function currentFence(): Fence | undefined {
  return fences.getStore();
}

/**
 * Throws if the fence around this work has ended. It is for writes to a server that knows no transactions.
 */
export async function confirmFence(): Promise<void> {
  await currentFence()?.confirm();
}

import { AsyncLocalStorage } from 'node:async_hooks';

/** Says whether some work may still write, or whether others have gone on with it. */
export interface Fence {
  /** Throws a `StoreError` if it has ended, as far as this process can tell. */
  confirm(): Promise<void>;
  /** A query that fails with `division_by_zero` if it has ended. It holds until the transaction ends. */
  readonly checkSql: string;
  /** What to tell whoever wrote too late. */
  readonly endedMessage: string;
}

const fences = new AsyncLocalStorage<Fence | undefined>();

/**
 * Does work behind a fence: every transaction and every writing statement that it leads to, however deep, asks the fence in the same message
 * that commits. So work whose fence has ended while its process stood still writes nothing more. `undefined` takes the fence away, for what
 * does not belong to the work.
 */
export function withFence<T>(fence: Fence | undefined, work: () => T): T {
  return fences.run(fence, work);
}

/** The fence around what is being done. */
export function currentFence(): Fence | undefined {
  return fences.getStore();
}

/** For writes to a server that knows no transactions: throws if the fence around this work has ended. */
export async function confirmFence(): Promise<void> {
  await currentFence()?.confirm();
}

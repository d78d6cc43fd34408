import type { StoredToken, TokenStore } from '../platform.ts';

/** Keeps the token in memory, for one process without a ledger. */
export function createMemoryTokenStore(): TokenStore {
  let stored: StoredToken | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    load: async () => stored,
    exchange(renew) {
      const exchanged = last.then(async () => {
        stored = await renew(stored);
        return stored;
      });
      // The next exchange waits for this one, whatever its outcome. An error goes to the caller of its
      // exchange.
      last = exchanged.then(
        () => undefined,
        () => undefined,
      );
      return exchanged;
    },
  };
}

import type { SyncContext } from './context.ts';
import { isInstantsByName, rememberedFact } from './remembered-fact.ts';

/** The ledger keeps each operation whose total is wrong, with the time of that discovery. */
const KEY = 'untrusted-totals';
/** A wrong total is trusted again after this time, since the platform may have been updated. */
const MAX_AGE_US = 30 * 86_400e6;

/** Knows which operations state a total that can be trusted. */
export interface TotalsTrust {
  isTrusted(operation: string): boolean;
  /** Remembers, also for later runs, that the total of an operation was wrong. */
  distrust(operation: string): Promise<void>;
}

type Context = Pick<SyncContext, 'config' | 'ledger' | 'clock'>;

/** Loads what earlier runs found out about totals. A total is trusted unless it was wrong lately. */
export async function loadTotals(ctx: Context): Promise<TotalsTrust> {
  const fact = rememberedFact(ctx, KEY, isInstantsByName);
  const load = async () => {
    const entries = Object.entries((await fact.load()) ?? {});
    return new Map(entries.filter(([, since]) => Math.abs(ctx.clock() - since) <= MAX_AGE_US));
  };
  const untrusted = await load();
  return {
    isTrusted: (operation) => !untrusted.has(operation),
    async distrust(operation) {
      if (untrusted.has(operation)) return;
      untrusted.set(operation, ctx.clock());
      // Another run may have found wrong totals in the meantime.
      for (const [other, since] of await load()) untrusted.set(other, since);
      await fact.save(Object.fromEntries(untrusted));
    },
  };
}

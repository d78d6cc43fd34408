import type { SyncContext } from './context.ts';

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
  const untrusted = await load(ctx);
  return {
    isTrusted: (operation) => !untrusted.has(operation),
    async distrust(operation) {
      if (untrusted.has(operation)) return;
      untrusted.set(operation, ctx.clock());
      // Another run may have found wrong totals in the meantime.
      for (const [other, since] of await load(ctx)) untrusted.set(other, since);
      await ctx.ledger.platformFacts.save(ctx.config.platform.baseUrl, KEY, Object.fromEntries(untrusted));
    },
  };
}

/** Loads the operations whose total is wrong, each with the time of that discovery (epoch microseconds). */
async function load({ config, ledger, clock }: Context): Promise<Map<string, number>> {
  const kept = (await ledger.platformFacts.load(config.platform.baseUrl)).get(KEY);
  const entries = typeof kept === 'object' && kept !== null ? Object.entries(kept) : [];
  return new Map(
    entries.filter(
      (entry): entry is [string, number] =>
        typeof entry[1] === 'number' && Math.abs(clock() - entry[1]) <= MAX_AGE_US,
    ),
  );
}

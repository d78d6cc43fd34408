import type { SyncContext } from './context.ts';

const KEY = 'untrusted-totals';
/** A total that was wrong is tried again after this time: a platform may be updated. */
const MAX_AGE_US = 30 * 86_400e6;

/** Which operations state a total that can be relied upon. */
export interface TotalsTrust {
  isTrusted(operation: string): boolean;
  /** Keeps for later runs too that the total of this operation was wrong. */
  distrust(operation: string): Promise<void>;
}

type Context = Pick<SyncContext, 'config' | 'ledger' | 'clock'>;

/** What earlier runs found out about the totals of the platform; all are trusted that were not wrong lately. */
export async function loadTotals(ctx: Context): Promise<TotalsTrust> {
  const untrusted = await load(ctx);
  return {
    isTrusted: (operation) => !untrusted.has(operation),
    async distrust(operation) {
      if (untrusted.has(operation)) return;
      untrusted.set(operation, ctx.clock());
      // Another run may have found out something meanwhile.
      for (const [other, since] of await load(ctx)) untrusted.set(other, since);
      await ctx.ledger.platformFacts.save(ctx.config.platform.baseUrl, KEY, Object.fromEntries(untrusted));
    },
  };
}

/** Operation → since when (epoch microseconds) its total is known to be wrong. */
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

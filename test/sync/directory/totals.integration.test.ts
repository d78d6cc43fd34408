import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config/config-schema.ts';
import { loadTotals } from '../../../src/sync/trusted-totals.ts';
import { openTestLedger } from '../../ledger/test-ledger.ts';

const DAY = 86_400e6;

async function openContext(now: { us: number }) {
  const { ledger, close } = await openTestLedger();
  onTestFinished(close);
  const config = { platform: { baseUrl: 'http://platform' } } as Config;
  return { config, ledger, clock: () => now.us };
}

describe('trust in totals', () => {
  it('is lost by an operation whose total was wrong, in later runs too, and comes back after 30 days', async () => {
    const now = { us: 1_000 * DAY };
    const ctx = await openContext(now);
    const totals = await loadTotals(ctx);
    expect(totals.isTrusted('listUsers')).toBe(true);
    await totals.distrust('listUsers');
    expect([totals.isTrusted('listUsers'), totals.isTrusted('listObjects')]).toEqual([false, true]);
    now.us += 29 * DAY;
    expect((await loadTotals(ctx)).isTrusted('listUsers')).toBe(false);
    now.us += 2 * DAY;
    expect((await loadTotals(ctx)).isTrusted('listUsers')).toBe(true);
  });

  it('lost in one run is not given back by another that began before', async () => {
    const ctx = await openContext({ us: 1_000 * DAY });
    const [first, second] = [await loadTotals(ctx), await loadTotals(ctx)];
    await first.distrust('listUsers');
    await second.distrust('listObjects');
    const later = await loadTotals(ctx);
    expect([later.isTrusted('listUsers'), later.isTrusted('listObjects')]).toEqual([false, false]);
  });

  it('is not touched by what somebody else wrote there', async () => {
    const ctx = await openContext({ us: 1_000 * DAY });
    for (const odd of [null, 'text', { listUsers: 'long ago' }]) {
      await ctx.ledger.platformFacts.save('http://platform', 'untrusted-totals', odd);
      expect((await loadTotals(ctx)).isTrusted('listUsers')).toBe(true);
    }
  });
});

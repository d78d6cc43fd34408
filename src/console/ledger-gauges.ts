import { reasonOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Sleep } from '../sleep.ts';
import type { OverviewLedger } from '../sync/status/overview.ts';
import type { OverviewContext } from '../sync/status/overview-facts.ts';
import { type MetricFacts, makeLedgerGauges, readMoreFacts, setLedgerGauges } from './ledger-metrics.ts';
import type { Prometheus } from './prometheus.ts';

/** A scrape within this time gets the numbers of the scrape before. */
const MAX_AGE_MS = 15_000;
/** The longest wait of a scrape for the ledger. Numbers that come later are shown at the next scrape. */
const PATIENCE_MS = 2_000;
/** Numbers are removed if the ledger has not answered for so long. */
const SILENT_MS = 60_000;

export interface LedgerGaugesOptions {
  readonly prometheus: Prometheus;
  /** The ledger as the overview reads it, so that metrics and status are the same numbers. */
  readonly overview: Pick<OverviewLedger, 'read'>;
  readonly log: Logger;
  /** Returns milliseconds of a clock that nobody sets. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/**
 * Shows numbers of the ledger, such as gaps, lags and the last success of each stream. The ledger is read
 * only for a scrape, and at most every 15 s. While the ledger cannot be read, these numbers are absent, which
 * is better than old. The returned function ends this.
 */
export function showLedger(
  ctx: OverviewContext,
  { prometheus, overview, log, clock, sleep }: LedgerGaugesOptions,
): () => void {
  const gauges = makeLedgerGauges(prometheus);
  const show = (facts: MetricFacts | undefined) => setLedgerGauges(gauges, ctx, facts);
  show(undefined);
  let askedMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      show({ ...(await overview.read()), ...(await readMoreFacts(ctx)) });
    } catch (error) {
      log.debug(reasonOf(error), 'the ledger cannot be read for the metrics');
      show(undefined);
    }
  };
  const leave = prometheus.onScrape(async () => {
    if (asking === undefined && clock() - askedMs >= MAX_AGE_MS) {
      askedMs = clock();
      asking = ask().finally(() => {
        asking = undefined;
      });
    }
    const asked = new AbortController();
    await Promise.race([asking, sleep(PATIENCE_MS, asked.signal)]);
    asked.abort();
    if (asking !== undefined && clock() - askedMs >= SILENT_MS) show(undefined);
  });
  return () => {
    leave();
    show(undefined);
  };
}

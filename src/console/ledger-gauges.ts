import type { Gauge } from 'prom-client';
import { reasonOf } from '../errors.ts';
import type { Success } from '../ledger/runs.ts';
import type { Logger } from '../log.ts';
import type { Sleep } from '../sleep.ts';
import { type Lag, type LagContext, readLags } from '../sync/status/read-lags.ts';
import { ALARMS, CURRENT } from '../sync/stream-names.ts';
import type { Prometheus } from './prometheus.ts';

/** A scrape within this time gets the numbers of the scrape before. */
const MAX_AGE_MS = 15_000;
/** The longest wait of a scrape for the ledger. Numbers that come later are shown at the next scrape. */
const PATIENCE_MS = 2_000;

export interface LedgerGaugesOptions {
  readonly prometheus: Prometheus;
  readonly log: Logger;
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/** The numbers that the ledger has for all processes together. */
interface LedgerFacts {
  readonly lags: readonly Lag[];
  /** The newest run with data of each stream and kind. */
  readonly successes: readonly Success[];
  readonly rejects: ReadonlyMap<string, number>;
  readonly outbox: ReadonlyMap<string, number>;
}

/**
 * Shows numbers of the ledger: lag, open rejects, entries of the outbox, the last success of each stream. The
 * ledger is read only for a scrape, and at most every 15 s. While the ledger cannot be read, these numbers
 * are absent, which is better than old. The returned function ends this.
 */
export function showLedger(
  ctx: LagContext,
  { prometheus, log, clock, sleep }: LedgerGaugesOptions,
): () => void {
  const show = makeGauges(prometheus, ctx);
  let askedMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      show(await readFacts(ctx));
    } catch (error) {
      log.debug(reasonOf(error), 'the ledger cannot be read for the metrics');
      show(undefined);
    }
  };
  return prometheus.onScrape(async () => {
    if (asking === undefined && clock() - askedMs >= MAX_AGE_MS) {
      askedMs = clock();
      asking = ask().finally(() => {
        asking = undefined;
      });
    }
    const asked = new AbortController();
    await Promise.race([asking, sleep(PATIENCE_MS, asked.signal)]);
    asked.abort();
  });
}

async function readFacts(ctx: LagContext): Promise<LedgerFacts> {
  const { ledger } = ctx;
  return {
    lags: await readLags(ctx),
    successes: await ledger.runs.readLastSuccesses(),
    rejects: await ledger.rejects.countOpen(),
    outbox: await ledger.outbox.count(),
  };
}

/** Makes the gauges. The returned function sets all of them, or removes all values without facts. */
function makeGauges(prometheus: Prometheus, ctx: LagContext): (facts: LedgerFacts | undefined) => void {
  const gauges = {
    lag: prometheus.gauge(
      'history_lag_seconds',
      'Time between now and the newest covered time of the series that is furthest behind.',
      ['selection', 'stream', 'store'],
    ),
    series: prometheus.gauge('history_series', 'Series whose history is wanted.', ['selection', 'stream']),
    behind: prometheus.gauge(
      'history_series_behind',
      'Series without history of the last ten minutes (or two buckets).',
      ['selection', 'stream', 'store'],
    ),
    success: prometheus.gauge(
      'run_last_success_timestamp_seconds',
      'Begin of the newest run of a stream that brought data, in any process.',
      ['stream'],
    ),
    rejects: prometheus.gauge('rejects_open', 'Open cases of rejects.', ['stream']),
    outbox: prometheus.gauge('outbox_entries', 'Entries with polls or alarm events that wait for a store.', [
      'stream',
      'store',
    ]),
  };
  return (facts) => {
    for (const gauge of Object.values(gauges)) gauge.reset();
    if (facts === undefined) return;
    for (const { selection, stream, store, series, behind, lagSec } of facts.lags) {
      gauges.series.set({ selection, stream }, series);
      gauges.behind.set({ selection, stream, store }, behind);
      if (lagSec !== undefined) gauges.lag.set({ selection, stream, store }, lagSec);
    }
    for (const [stream, atUs] of newestByStream(facts.successes)) gauges.success.set({ stream }, atUs / 1e6);
    for (const [stream, open] of facts.rejects) gauges.rejects.set({ stream }, open);
    showOutbox(gauges.outbox, ctx, facts.outbox);
  };
}

function newestByStream(successes: LedgerFacts['successes']): Map<string, number> {
  const newest = new Map<string, number>();
  for (const { stream, begunAt } of successes) newest.set(stream, Math.max(begunAt, newest.get(stream) ?? 0));
  return newest;
}

/**
 * Shows the outbox by kind of store. Entries for a store that is no longer configured are not counted: they
 * may wait for ever.
 */
function showOutbox(
  gauge: Gauge,
  { stores, postgresStore }: LagContext,
  outbox: LedgerFacts['outbox'],
): void {
  for (const store of stores) {
    if (store === postgresStore) continue;
    const { id, kind, events } = store;
    gauge.set({ stream: CURRENT, store: kind }, outbox.get(id) ?? 0);
    if (events) gauge.set({ stream: ALARMS, store: kind }, outbox.get(events.id) ?? 0);
  }
}

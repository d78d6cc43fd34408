import type { Gauge } from 'prom-client';
import { EVERYTHING } from '../ledger/control.ts';
import type { OrderKind } from '../ledger/orders.ts';
import type { Success } from '../ledger/runs.ts';
import { countBegun } from '../load/alarms/count-alarms.ts';
import type { RollupProgress } from '../load/rollups/rollup-state.ts';
import { keepsRollups, readProgress } from '../sync/rollups/keep-rollups.ts';
import type { OverviewContext, LedgerFacts as OverviewFacts } from '../sync/status/overview-facts.ts';
import { listDiffering, type Verification } from '../sync/status/verifications.ts';
import { ALARMS, CURRENT } from '../sync/stream-names.ts';
import { kindOfVerification } from '../sync/verify/verify-history.ts';
import type { Prometheus } from './prometheus.ts';

/** The time in which alarms are counted that have begun. */
const BEGUN_WITHIN_MS = 600_000;

/** The numbers that the ledger has for all processes together. */
export interface MetricFacts extends OverviewFacts {
  /** The newest run with data of each stream and kind. */
  readonly successes: readonly Success[];
  readonly outbox: ReadonlyMap<string, number>;
  readonly outboxOldest: ReadonlyMap<string, number>;
  readonly drift: ReadonlyMap<string, number>;
  readonly orders: readonly { kind: OrderKind; status: 'waiting' | 'running'; orders: number }[];
  /** How far the rollups are behind. Undefined if no rollups are kept. */
  readonly rollups: RollupProgress | undefined;
  /** Alarms of the plant that began within the last ten minutes, by priority. */
  readonly alarmsBegun: ReadonlyMap<number, number>;
}

/** Reads what the overview does not have. */
export async function readMoreFacts(ctx: OverviewContext) {
  const { ledger, db, schemas, config } = ctx;
  const readsAlarms = config.alarms.current.enabled || config.alarms.history.enabled;
  return {
    successes: await ledger.runs.readLastSuccesses(),
    outbox: await ledger.outbox.count(),
    outboxOldest: await ledger.outbox.readOldest(),
    drift: await ledger.drift.count(),
    orders: await ledger.orders.countOpen(),
    rollups: keepsRollups(ctx) ? await readProgress(ctx) : undefined,
    alarmsBegun: readsAlarms ? await countBegun(db, schemas.data, BEGUN_WITHIN_MS) : new Map(),
  };
}

export type LedgerGauges = ReturnType<typeof makeLedgerGauges>;

/** Makes the metrics of the ledger. */
export function makeLedgerGauges({ gauge }: Pick<Prometheus, 'gauge'>) {
  return { ...makeHistoryGauges(gauge), ...makeWorkGauges(gauge) };
}

function makeHistoryGauges(gauge: Prometheus['gauge']) {
  const each = ['selection', 'stream', 'store'];
  return {
    lag: gauge(
      'history_lag_seconds',
      'Time between now and the newest covered time of the series that is furthest behind.',
      each,
    ),
    series: gauge('history_series', 'Series whose history is wanted.', ['selection', 'stream']),
    behind: gauge(
      'history_series_behind',
      'Series without history of the last ten minutes (or two buckets, or two distances of the schedule).',
      each,
    ),
    missing: gauge(
      'missing_series_seconds',
      'History that is wanted and not stored, in seconds added up over the series, as plantsync gaps lists it.',
      ['store', 'selection'],
    ),
    missingSeries: gauge('missing_series', 'Series that lack any history, counted once for each stream.', [
      'store',
      'selection',
    ]),
    missingOldest: gauge(
      'missing_oldest_timestamp_seconds',
      'Begin of the oldest gap. Absent without a gap.',
      ['store', 'selection'],
    ),
    missingAge: gauge('missing_age_seconds', 'Age of the sums of gaps, which are added up once a minute.'),
    differences: gauge(
      'verify_differences',
      'Points that differ from the platform, as the newest comparison found, and that nobody has repaired.',
      ['selection', 'store', 'difference'],
    ),
    verified: gauge('verify_last_timestamp_seconds', 'Begin of the newest comparison with the platform.', [
      'selection',
    ]),
  };
}

function makeWorkGauges(gauge: Prometheus['gauge']) {
  return {
    success: gauge(
      'run_last_success_timestamp_seconds',
      'Begin of the newest run of a stream that brought data, in any process.',
      ['stream'],
    ),
    paused: gauge('paused_timestamp_seconds', 'Since when a stream, a job or everything (all) is paused.', [
      'target',
    ]),
    services: gauge('services', 'Processes of the service by role. state is alive or silent.', [
      'role',
      'state',
    ]),
    backfills: gauge('backfills_running', 'Backfills that are running.'),
    orders: gauge('orders', 'Backfills and replays that somebody asked of the service: waiting or running.', [
      'kind',
      'status',
    ]),
    rejects: gauge('rejects_open', 'Open cases of rejects.', ['stream']),
    drift: gauge('drift_entries', 'Differences between the records of a stream and its declaration.', [
      'stream',
    ]),
    outbox: gauge('outbox_entries', 'Entries with polls or alarm events that wait for a store.', [
      'stream',
      'store',
    ]),
    outboxOldest: gauge(
      'outbox_oldest_timestamp_seconds',
      'When the oldest waiting entry was added. Absent if none waits.',
      ['stream', 'store'],
    ),
    rollupsBehind: gauge(
      'rollups_behind_seconds',
      'For how long the oldest change of history could have been computed, and waits for its rollups.',
    ),
    rollupsBacklog: gauge(
      'rollups_backlog_series_seconds',
      'Stored history whose rollups are still to be made, in seconds added up over the series.',
    ),
    alarms: gauge('alarms_begun', 'Alarms of the plant that began within the last ten minutes.', [
      'priority',
    ]),
  };
}

/** Sets all metrics of the ledger. Without facts they have no value. */
export function setLedgerGauges(
  gauges: LedgerGauges,
  ctx: Pick<OverviewContext, 'stores' | 'postgresStore' | 'config'>,
  facts: MetricFacts | undefined,
): void {
  for (const gauge of Object.values(gauges)) gauge.reset();
  if (facts === undefined) {
    // A gauge without labels would show 0.
    gauges.missingAge.remove();
    gauges.backfills.remove();
    setRollups(gauges, undefined);
    return;
  }
  setHistory(gauges, facts);
  setDifferences(gauges, ctx, facts.verifications);
  for (const [stream, atUs] of newestByStream(facts.successes)) gauges.success.set({ stream }, atUs / 1e6);
  for (const { target, since } of facts.pauses)
    gauges.paused.set({ target: target === EVERYTHING ? 'all' : target }, since / 1e6);
  for (const { role, isAlive } of facts.services) {
    gauges.services.inc({ role, state: 'alive' }, isAlive ? 1 : 0);
    gauges.services.inc({ role, state: 'silent' }, isAlive ? 0 : 1);
  }
  gauges.backfills.set(facts.backfills.length);
  for (const { kind, status, orders } of facts.orders) gauges.orders.set({ kind, status }, orders);
  // A stream without rejects shows 0, so that its first reject is growth.
  for (const { stream } of facts.runs) gauges.rejects.set({ stream }, 0);
  for (const [stream, open] of facts.rejects) gauges.rejects.set({ stream }, open);
  for (const [stream, entries] of facts.drift) gauges.drift.set({ stream }, entries);
  for (const [priority, begun] of facts.alarmsBegun) gauges.alarms.set({ priority: String(priority) }, begun);
  setOutbox(gauges, ctx, facts);
  setRollups(gauges, facts.rollups);
}

/** Shows how far the rollups are behind. Nothing is shown if none are kept. */
function setRollups(
  { rollupsBehind, rollupsBacklog }: LedgerGauges,
  rollups: RollupProgress | undefined,
): void {
  if (rollups === undefined) {
    rollupsBehind.remove();
    rollupsBacklog.remove();
    return;
  }
  rollupsBehind.set(rollups.behindSec);
  rollupsBacklog.set(rollups.backlogHours * 3600);
}

function setHistory(gauges: LedgerGauges, { heads, gaps, gapsAgeSec }: MetricFacts): void {
  for (const { selection, stream, store, series, behind, lagSec } of heads.lags) {
    gauges.series.set({ selection, stream }, series);
    gauges.behind.set({ selection, stream, store }, behind);
    if (lagSec !== undefined) gauges.lag.set({ selection, stream, store }, lagSec);
  }
  const oldest = new Map<string, number>();
  for (const { selection, kind: store, hours, series, oldest: begin } of gaps) {
    gauges.missing.inc({ store, selection }, hours * 3600);
    gauges.missingSeries.inc({ store, selection }, series);
    const place = `${store} ${selection}`;
    const before = oldest.get(place) ?? Number.POSITIVE_INFINITY;
    if (begin === undefined || begin >= before) continue;
    oldest.set(place, begin);
    gauges.missingOldest.set({ store, selection }, begin / 1e6);
  }
  gauges.missingAge.set(gapsAgeSec);
}

function setDifferences(
  { differences, verified }: LedgerGauges,
  { config }: Pick<OverviewContext, 'config'>,
  verifications: readonly Verification[],
): void {
  const open = listDiffering(verifications);
  const kinds = config.runtime.map(kindOfVerification);
  for (const verification of verifications) {
    const place = kinds.indexOf(verification.kind);
    // The comparisons of a selection that is gone say nothing about what is wanted now.
    if (place < 0 && verification.kind !== kindOfVerification(undefined)) continue;
    const selection = place < 0 ? 'all' : String(place + 1);
    verified.set({ selection }, verification.at / 1e6);
    for (const [id, { kind: store }] of Object.entries(verification.stores)) {
      const found = open.find((each) => each.from === verification && each.store === id);
      for (const difference of ['missing', 'extra', 'different'] as const)
        differences.set({ selection, store, difference }, found?.[difference] ?? 0);
    }
  }
}

function newestByStream(successes: MetricFacts['successes']): Map<string, number> {
  const newest = new Map<string, number>();
  for (const { stream, begunAt } of successes) newest.set(stream, Math.max(begunAt, newest.get(stream) ?? 0));
  return newest;
}

/**
 * Shows the outbox by kind of store. Entries for a store that is no longer configured are not counted: they
 * may wait for ever.
 */
function setOutbox(
  { outbox, outboxOldest }: LedgerGauges,
  { stores, postgresStore }: Pick<OverviewContext, 'stores' | 'postgresStore'>,
  facts: Pick<MetricFacts, 'outbox' | 'outboxOldest'>,
): void {
  const show = (labels: { stream: string; store: string }, id: string) => {
    outbox.set(labels, facts.outbox.get(id) ?? 0);
    setIfKnown(outboxOldest, labels, facts.outboxOldest.get(id));
  };
  for (const store of stores) {
    if (store === postgresStore) continue;
    const { id, kind, events } = store;
    show({ stream: CURRENT, store: kind }, id);
    if (events) show({ stream: ALARMS, store: kind }, events.id);
  }
}

function setIfKnown(gauge: Gauge, labels: Record<string, string>, atUs: number | undefined): void {
  if (atUs !== undefined) gauge.set(labels, atUs / 1e6);
}

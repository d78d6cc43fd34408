import type { Engine, EngineJob } from '../queue/engine.ts';
import { periodOf } from '../queue/next-run.ts';
import type { SyncContext } from '../sync/context.ts';
import type { Prometheus } from './prometheus.ts';
import type { Health } from './readiness.ts';

const DISK_FULL = /\.disk_full$/;

/** Shows what the looks at the dependencies found. A dependency that nobody has looked at yet is absent. */
export function showHealth(prometheus: Prometheus, health: Pick<Health, 'report'>): void {
  const ready = prometheus.gauge('ready', 'Whether /readyz answers 200.');
  const up = prometheus.gauge('dependency_up', 'Whether a dependency answered when it was last looked at.', [
    'dependency',
  ]);
  const since = prometheus.gauge(
    'dependency_state_since_timestamp_seconds',
    'Since when a dependency is up or away.',
    ['dependency'],
  );
  const full = prometheus.gauge('store_disk_full', 'Whether a store has no room left on its disk.', [
    'store',
  ]);
  prometheus.onScrape(() => {
    const report = health.report();
    ready.set({}, report.ready ? 1 : 0);
    for (const gauge of [up, since, full]) gauge.reset();
    for (const [dependency, seen] of Object.entries(report.dependencies)) {
      if (seen.state === 'unknown') continue;
      up.set({ dependency }, seen.state === 'up' ? 1 : 0);
      since.set({ dependency }, Date.parse(seen.since) / 1000);
      const isFull = seen.state === 'down' && DISK_FULL.test(seen.code ?? '');
      if (isFull || dependency === 'postgres') full.set({ store: dependency }, isFull ? 1 : 0);
    }
  });
}

/** Shows the seconds since each job was due, if nothing runs the job. Every other job shows 0. */
export function showWaiting(prometheus: Prometheus, read: () => ReadonlyMap<string, number>): void {
  const overdue = prometheus.gauge('overdue_seconds', 'Time since a job was due that no process runs.', [
    'job',
  ]);
  prometheus.onScrape(() => {
    overdue.reset();
    for (const [job, seconds] of read()) overdue.set({ job }, seconds);
  });
}

/** A job of the service, as the metrics need it. */
export interface ShownJob extends Pick<EngineJob, 'name' | 'schedule'> {
  readonly recorded: { readonly stream: string };
}

/** Shows the shortest distance between two runs of each stream that the configuration asks for. */
export function showPeriods(
  prometheus: Pick<Prometheus, 'gauge'>,
  jobs: readonly ShownJob[],
  { nowMs, timezone }: { nowMs: number; timezone: string },
): void {
  const period = prometheus.gauge(
    'stream_period_seconds',
    'Shortest distance between two runs of a stream.',
    ['stream'],
  );
  const seconds = new Map<string, number>();
  for (const { schedule, recorded } of jobs) {
    const own = periodOf(schedule, { nowMs, timezone }) / 1000;
    seconds.set(recorded.stream, Math.min(own, seconds.get(recorded.stream) ?? Number.POSITIVE_INFINITY));
  }
  for (const [stream, own] of seconds) period.set({ stream }, own);
}

/** Shows what this process knows without asking a server. */
export function showProcess(
  prometheus: Prometheus,
  { polls, platform }: Pick<SyncContext, 'polls' | 'platform'>,
  { leads, clock }: Pick<Engine, 'leads'> & { readonly clock: () => number },
): void {
  const { gauge } = prometheus;
  const leader = gauge(
    'leader',
    'Whether this process keeps the schedules. Without Redis each process does.',
  );
  const waitingPolls = gauge('polls_waiting', 'Polls that wait in memory while Postgres is away.');
  const waitingValues = gauge('polled_values_waiting', 'Values of the polls that wait in memory.');
  const concurrency = gauge(
    'platform_concurrency_limit',
    'Requests that may be under way at once, as adapted to the platform.',
  );
  const skew = gauge('platform_clock_skew_seconds', "The platform's clock minus ours.");
  const token = gauge(
    'token_remaining_seconds',
    'Time until the access token of the platform ends; below 0 after its end. Absent without a token.',
  );
  // Without labels these would show 0 before anything is known.
  for (const unknown of [skew, token]) unknown.remove();
  prometheus.onScrape(() => {
    leader.set({}, leads() ? 1 : 0);
    waitingPolls.set({}, polls.waiting.polls);
    waitingValues.set({}, polls.waiting.values);
    concurrency.set({}, platform.stats().concurrency);
    const skewMs = platform.clockSkewMs();
    if (skewMs !== undefined) skew.set({}, skewMs / 1000);
    const { validUntilMs } = platform.token();
    if (validUntilMs === undefined) token.remove();
    else token.set({}, (validUntilMs - clock()) / 1000);
  });
}

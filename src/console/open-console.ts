import type { Config } from '../config/config-schema.ts';
import type { Layer } from '../config/origins.ts';
import type { StoreKinds } from '../load/stores/store-kind.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Redact } from '../redact.ts';
import type { Sleep } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from '../sync/context.ts';
import { OverviewLedger, readOverview } from '../sync/status/overview.ts';
import type { ApiContext } from './api/api-context.ts';
import { showQueues } from './engine-gauges.ts';
import { showLedger } from './ledger-gauges.ts';
import type { Prometheus } from './prometheus.ts';
import type { Health } from './readiness.ts';

export interface ConsoleOptions {
  readonly version: string;
  /** Folder of the built page. */
  readonly pageFolder: string;
  readonly kinds: StoreKinds;
  /** Removes secrets from a text. */
  readonly redact: Redact;
  /** The sources of the configuration. */
  readonly layers: readonly Layer[];
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  /** What the service depends on. */
  readonly health: Health;
  readonly sleep: Sleep;
}

/** The running service, as the console shows it. */
export type ShownContext = SyncContext & Pick<ApiContext, 'redis'>;

/** The console of the service. It is opened before everything else and closed after everything else. */
export interface ServiceConsole {
  /** The address of the console, such as `http://127.0.0.1:8481`. */
  readonly url: string;
  /** Counts what the parts of the service do. */
  readonly metrics: Metrics;
  /** Notes the jobs that are due and not running, by seconds. */
  noteWaiting(seconds: ReadonlyMap<string, number>): void;
  /**
   * Shows the running service, once everything is open. Call the returned function before anything of it is
   * closed.
   */
  follow(ctx: ShownContext, engine: ApiContext['engine']): () => void;
  close(): Promise<void>;
}

/**
 * Opens the console. Returns undefined if `console.port` is not set. Nothing else must be open before: the
 * console tells which stores are missing.
 */
export async function openConsole(
  config: Config,
  options: ConsoleOptions,
): Promise<ServiceConsole | undefined> {
  const { port } = config.console;
  if (port === undefined) return undefined;
  const { version, pageFolder, kinds, log, health, redact, layers, clock, sleep } = options;
  // The libraries are loaded only here, so that a service without a console does not wait for them.
  const { createPrometheus } = await import('./prometheus.ts');
  const { startConsoleServer } = await import('./console-server.ts');
  const prometheus = createPrometheus({ version });
  const readiness = () => health.report();
  let running: ApiContext | undefined;
  const server = await startConsoleServer({
    settings: { ...config.console, port },
    ...{ version, pageFolder, readiness, prometheus, log, redact, clock },
    context: () => running,
  });
  log.info({ url: server.url }, 'the console answers');
  showHealth(prometheus, health);
  let waitingSec: ReadonlyMap<string, number> = new Map();
  showWaiting(prometheus, () => waitingSec);
  return {
    url: server.url,
    metrics: prometheus,
    noteWaiting(seconds) {
      waitingSec = seconds;
    },
    follow(ctx, engine) {
      const hideLedger = showLedger(ctx, { prometheus, log, clock: steadyMs, sleep });
      showProcess(prometheus, ctx);
      if (config.redis !== undefined) showQueues({ prometheus, sleep }, engine);
      const ledger = new OverviewLedger({ ...ctx, kinds });
      const overview = () =>
        readOverview({
          ...{ ledger, kinds },
          looks: {
            reports: health.report().dependencies,
            teller: 'this look',
            tokenUntilMs: ctx.platform.token().validUntilMs,
          },
          nowMs: clock(),
        });
      running = { ...ctx, kinds, engine, redact, version, layers, readOverview: overview };
      return () => {
        running = undefined;
        hideLedger();
      };
    },
    close: () => server.close(),
  };
}

function showHealth(prometheus: Prometheus, health: Health): void {
  const ready = prometheus.gauge('ready', 'Whether /readyz answers 200.');
  const up = prometheus.gauge('dependency_up', 'Whether a dependency answered when it was last looked at.', [
    'dependency',
  ]);
  prometheus.onScrape(() => {
    const report = health.report();
    ready.set({}, report.ready ? 1 : 0);
    for (const [dependency, { state }] of Object.entries(report.dependencies))
      up.set({ dependency }, state === 'up' ? 1 : 0);
  });
}

/** Shows the seconds since each job was due, if nothing runs the job. Every other job shows 0. */
function showWaiting(prometheus: Prometheus, read: () => ReadonlyMap<string, number>): void {
  const overdue = prometheus.gauge('overdue_seconds', 'Time since a job was due that no process runs.', [
    'job',
  ]);
  prometheus.onScrape(() => {
    overdue.reset();
    for (const [job, seconds] of read()) overdue.set({ job }, seconds);
  });
}

/** Shows what this process knows without asking a server. */
function showProcess(prometheus: Prometheus, { polls, platform }: ShownContext): void {
  const waitingPolls = prometheus.gauge('polls_waiting', 'Polls that wait in memory while Postgres is away.');
  const waitingValues = prometheus.gauge('polled_values_waiting', 'Values of the polls that wait in memory.');
  const concurrency = prometheus.gauge(
    'platform_concurrency_limit',
    'Requests that may be under way at once, as adapted to the platform.',
  );
  const skew = prometheus.gauge('platform_clock_skew_seconds', "The platform's clock minus ours.");
  prometheus.onScrape(() => {
    waitingPolls.set({}, polls.waiting.polls);
    waitingValues.set({}, polls.waiting.values);
    concurrency.set({}, platform.stats().concurrency);
    const skewMs = platform.clockSkewMs();
    if (skewMs !== undefined) skew.set({}, skewMs / 1000);
  });
}

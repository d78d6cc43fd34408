import type { Config } from '../config/config-schema.ts';
import { openInfluxPulse } from '../load/stores/influx/pulse.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { openPostgres } from '../postgres/connect.ts';
import { openPulse } from '../postgres/pulse.ts';
import type { Engine } from '../queue/engine.ts';
import type { Redact } from '../redact.ts';
import type { Sleep } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from '../sync/context.ts';
import type { LagContext } from '../sync/status/read-lags.ts';
import type { ConsoleServer } from './console-server.ts';
import { showEngine } from './engine-gauges.ts';
import { showLedger } from './ledger-gauges.ts';
import { lookAtPlatform } from './platform-look.ts';
import type { Prometheus } from './prometheus.ts';
import { Health } from './readiness.ts';

export interface ConsoleOptions {
  readonly version: string;
  readonly log: Logger;
  /** Takes secrets out of a text. */
  readonly redact: Redact;
  /** When it is aborted the service is about to end, and not ready any more. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/** What the console shows of a service that runs. */
export type ShownContext = LagContext & Pick<SyncContext, 'db' | 'polls'>;

type Close = () => Promise<void>;

/** The console of the service: open before anything else, closed after everything else. */
export interface ServiceConsole {
  /** Told what the start waits for. */
  readonly health: Pick<Health, 'hold'>;
  /** Whoever does something tells it this. */
  readonly metrics: Metrics;
  /** Told what is due and does not run, and which of that makes the service not ready, in sentences. */
  noteWaiting(seconds: ReadonlyMap<string, number>, overdue: readonly string[]): void;
  /** Everything is open, and the service runs from now on. Call what it returns before any of that is closed. */
  follow(ctx: ShownContext, engine: Pick<Engine, 'describeHealth'>): Close;
  close(): Promise<void>;
}

/** Postgres refuses or answers sooner than the health gives up on it, so that the reason is told. */
const CONNECT_TIMEOUT_MS = 2_500;
const INFLUX_LIMIT_MS = 2_500;

/** Opens the console where `console.port` is set. Nothing else need be open: what the stores lack is what it shall tell. */
export async function openConsole(
  config: Config,
  options: ConsoleOptions,
): Promise<ServiceConsole | undefined> {
  const { port, host } = config.console;
  if (port === undefined) return undefined;
  const { version, log, redact, signal, clock, sleep } = options;
  // A service without a console need not wait until their libraries are loaded.
  const { createPrometheus } = await import('./prometheus.ts');
  const { startConsoleServer } = await import('./console-server.ts');
  const health = new Health({ clock, sleep, redact });
  const prometheus = createPrometheus({ version });
  const readiness = () => health.report();
  const server = await startConsoleServer({ port, host, version, readiness, prometheus, log });
  log.info({ url: server.url }, 'the console answers to /healthz, /readyz and /metrics');
  signal.addEventListener('abort', () => health.hold('the service is about to end'), { once: true });
  const closers = watchStores(config, health, log);
  showHealth(prometheus, health);
  let waitingSec: ReadonlyMap<string, number> = new Map();
  showWaiting(prometheus, () => waitingSec);
  return {
    health,
    metrics: prometheus,
    noteWaiting(seconds, overdue) {
      waitingSec = seconds;
      health.noteOverdue(overdue);
    },
    follow(ctx, engine) {
      const isOurs = config.postgres.server === undefined;
      const leavePostgres = isOurs ? watchPostgres(health, ctx.db) : undefined;
      health.watch({ name: 'platform', needed: 'always', look: lookAtPlatform(ctx.platform, steadyMs) });
      const hideLedger = showLedger(ctx, { prometheus, log, clock: steadyMs, sleep });
      showProcess(prometheus, ctx);
      if (config.redis !== undefined) showEngine({ health, prometheus }, engine);
      if (!signal.aborted) health.release();
      return async () => {
        hideLedger();
        health.hold('the service is about to end');
        await health.close();
        await leavePostgres?.();
      };
    },
    close: () => closeAll(health, closers, server),
  };
}

/** Servers that the configuration names are looked at from the beginning; what needs more is named for now. */
function watchStores(config: Config, health: Health, log: Logger): Close[] {
  const closers: Close[] = [];
  const { server } = config.postgres;
  if (server === undefined)
    health.expect({ name: 'postgres', needed: 'always' }, 'the embedded PostgreSQL is being started');
  else {
    // What goes wrong is the answer, and need not be logged too.
    const quiet = log.child({}, { level: 'silent' });
    const db = openPostgres({ ...server, connectTimeoutMs: CONNECT_TIMEOUT_MS }, quiet);
    closers.push(watchPostgres(health, db), () => db.close());
  }
  const before = config.redis === undefined ? 'PostgreSQL' : 'PostgreSQL and Redis';
  const noToken = `it is asked when the service runs, which waits for ${before}`;
  health.expect({ name: 'platform', needed: 'always' }, noToken);
  if (config.redis !== undefined)
    health.expect({ name: 'redis', needed: 'always' }, 'it is connected when everything else is open');
  if (config.influx !== undefined) {
    const pulse = openInfluxPulse(config.influx, { limitMs: INFLUX_LIMIT_MS });
    // Polls and history wait for it, each in its own place, and everything else goes on.
    health.watch({ name: 'influx', needed: 'at-start', look: () => pulse.feel() });
    closers.push(() => pulse.close());
  }
  return closers;
}

function watchPostgres(health: Health, db: SyncContext['db']): Close {
  const pulse = openPulse(db);
  health.watch({ name: 'postgres', needed: 'always', look: (signal) => pulse.feel(signal) });
  return () => pulse.close();
}

async function closeAll(health: Health, closers: readonly Close[], server: ConsoleServer): Promise<void> {
  await health.close();
  for (const close of closers) await close();
  await server.close();
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

/** Every job is there, and 0 unless it is due and nothing runs it. */
function showWaiting(prometheus: Prometheus, read: () => ReadonlyMap<string, number>): void {
  const overdue = prometheus.gauge(
    'overdue_seconds',
    'Time since a job was due that nothing runs, in any process.',
    ['job'],
  );
  prometheus.onScrape(() => {
    overdue.reset();
    for (const [job, seconds] of read()) overdue.set({ job }, seconds);
  });
}

/** What this process knows of itself, without asking anybody. */
function showProcess(prometheus: Prometheus, { polls, platform }: ShownContext): void {
  const waitingPolls = prometheus.gauge('polls_waiting', 'Polls in memory, because Postgres takes none.');
  const waitingValues = prometheus.gauge('polled_values_waiting', 'Values in these polls.');
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

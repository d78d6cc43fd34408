import type { Config } from '../config/config-schema.ts';
import { type ConfiguredStore, listConfigured, type StoreKinds } from '../load/stores/store-kind.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { openPostgres } from '../postgres/connect.ts';
import { openPulse } from '../postgres/pulse.ts';
import { RoomWatch } from '../postgres/room.ts';
import type { Redact } from '../redact.ts';
import type { Sleep } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from '../sync/context.ts';
import type { ApiContext } from './api/api-context.ts';
import type { ConsoleServer } from './console-server.ts';
import { showEngine } from './engine-gauges.ts';
import { showLedger } from './ledger-gauges.ts';
import { lookAtPlatform } from './platform-look.ts';
import type { Prometheus } from './prometheus.ts';
import { Health } from './readiness.ts';

export interface ConsoleOptions {
  readonly version: string;
  /** Folder of the built page. */
  readonly pageFolder: string;
  readonly kinds: StoreKinds;
  readonly log: Logger;
  /** Removes secrets from a text. */
  readonly redact: Redact;
  /** Is aborted when the service is about to end. The service is not ready from then on. */
  readonly signal: AbortSignal;
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

/** The running service, as the console shows it. */
export type ShownContext = SyncContext & Pick<ApiContext, 'redis'>;

type Close = () => Promise<void>;

/** The console of the service. It is opened before everything else and closed after everything else. */
export interface ServiceConsole {
  /** The address of the console, such as `http://127.0.0.1:8481`. */
  readonly url: string;
  /** Is told what the start waits for. */
  readonly health: Pick<Health, 'hold'>;
  /** Counts what the parts of the service do. */
  readonly metrics: Metrics;
  /** Is told by the databases of the service whether Postgres has room on its disk. */
  readonly room: RoomWatch;
  /**
   * Notes the jobs that are due and not running (by seconds), and sentences about those that make the service
   * not ready.
   */
  noteWaiting(seconds: ReadonlyMap<string, number>, overdue: readonly string[]): void;
  /**
   * Shows the running service, once everything is open. Call the returned function before anything of it is
   * closed.
   */
  follow(ctx: ShownContext, engine: ApiContext['engine']): Close;
  close(): Promise<void>;
}

/** Postgres answers or fails before the health gives up on it, so that the reason is known. */
const CONNECT_TIMEOUT_MS = 2_500;
const STORE_LIMIT_MS = 2_500;

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
  const { version, pageFolder, kinds, log, redact, signal, clock, sleep } = options;
  // The libraries are loaded only here, so that a service without a console does not wait for them.
  const { createPrometheus } = await import('./prometheus.ts');
  const { startConsoleServer } = await import('./console-server.ts');
  const health = new Health({ clock, sleep, redact });
  const prometheus = createPrometheus({ version });
  const readiness = () => health.report();
  let running: ApiContext | undefined;
  const server = await startConsoleServer({
    settings: { ...config.console, port },
    ...{ version, pageFolder, readiness, prometheus, log, redact, clock },
    context: () => running,
  });
  log.info({ url: server.url }, 'the console answers');
  signal.addEventListener('abort', () => health.hold('the service is about to end'), { once: true });
  const room = new RoomWatch();
  const closers = [
    ...watchServers(config, { health, log, room }),
    ...(await watchStores(listConfigured(config, kinds), health)),
  ];
  showHealth(prometheus, health);
  let waitingSec: ReadonlyMap<string, number> = new Map();
  showWaiting(prometheus, () => waitingSec);
  return {
    url: server.url,
    health,
    metrics: prometheus,
    room,
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
      running = { ...ctx, kinds, engine, readiness, redact, version };
      if (!signal.aborted) health.release();
      return async () => {
        running = undefined;
        hideLedger();
        health.hold('the service is about to end');
        await health.close();
        await leavePostgres?.();
      };
    },
    close: () => closeAll(health, closers, server),
  };
}

/**
 * Watches the servers that the configuration names, from the beginning. Dependencies that need more are only
 * named here.
 */
function watchServers(
  config: Config,
  { health, log, room }: { health: Health; log: Logger; room: RoomWatch },
): Close[] {
  const closers: Close[] = [];
  const { server } = config.postgres;
  if (server === undefined)
    health.expect({ name: 'postgres', needed: 'always' }, 'the embedded PostgreSQL is being started');
  else {
    // A failure is the answer of the console, so it is not logged as well.
    const quiet = log.child({}, { level: 'silent' });
    const db = openPostgres({ ...server, connectTimeoutMs: CONNECT_TIMEOUT_MS, room }, quiet);
    closers.push(watchPostgres(health, db), () => db.close());
  }
  const before = config.redis === undefined ? 'PostgreSQL' : 'PostgreSQL and Redis';
  const noToken = `the platform is asked when the service runs, which waits for ${before}`;
  health.expect({ name: 'platform', needed: 'always' }, noToken);
  if (config.redis !== undefined)
    health.expect({ name: 'redis', needed: 'always' }, 'Redis is connected when everything else is open');
  return closers;
}

/** Watches the stores other than Postgres. */
async function watchStores(stores: readonly ConfiguredStore[], health: Health): Promise<Close[]> {
  const closers: Close[] = [];
  for (const store of stores) {
    const pulse = await store.openPulse({ limitMs: STORE_LIMIT_MS });
    // Without the store, polls and history wait in their places, and everything else goes on.
    health.watch({ name: store.kind.name, needed: 'at-start', look: () => pulse.feel() });
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

import type { Config } from '../config/config-schema.ts';
import type { Layer } from '../config/origins.ts';
import type { StoreKinds } from '../load/stores/store-kind.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Engine } from '../queue/engine.ts';
import type { Redact } from '../redact.ts';
import type { Sleep } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from '../sync/context.ts';
import { type OverviewLedger, readOverview } from '../sync/status/overview.ts';
import type { ApiContext } from './api/api-context.ts';
import { showQueues } from './engine-gauges.ts';
import { showLedger } from './ledger-gauges.ts';
import { type ShownJob, showHealth, showPeriods, showProcess, showWaiting } from './process-gauges.ts';
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

/** The engine of the running service, and its jobs. */
export interface ShownEngine {
  readonly engine: ApiContext['engine'] & Pick<Engine, 'leads'>;
  readonly jobs: readonly ShownJob[];
  readonly overview: OverviewLedger;
}

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
  follow(ctx: ShownContext, running: ShownEngine): () => void;
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
    follow(ctx, { engine, jobs, overview: ledger }) {
      const shown = { prometheus, overview: ledger, log, clock: steadyMs, sleep };
      const hideLedger = showLedger({ ...ctx, kinds }, shown);
      showProcess(prometheus, ctx, { leads: engine.leads, clock });
      showPeriods(prometheus, jobs, { nowMs: clock(), timezone: config.schedule.timezone });
      if (config.redis !== undefined) showQueues({ prometheus, sleep }, engine);
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

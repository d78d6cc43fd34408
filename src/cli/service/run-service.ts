import { listJobs } from '../../../jobs/index.ts';
import type { Config } from '../../config/config-schema.ts';
import type { Layer } from '../../config/origins.ts';
import { openConsole } from '../../console/open-console.ts';
import { watchDependencies } from '../../console/watch-dependencies.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { Logger } from '../../log.ts';
import { noMetrics } from '../../metrics.ts';
import type { Notifier } from '../../notify/open-notifier.ts';
import { PAGE_FOLDER, packageFile, readVersion } from '../../package-root.ts';
import type { Waiting } from '../../queue/overdue-watch.ts';
import type { Redact } from '../../redact.ts';
import { sleepOrWake } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { Fill } from '../../sync/backfill/fill-range.ts';
import type { SyncContext } from '../../sync/context.ts';
import { fillHistory } from '../../sync/history/fill-history.ts';
import type { RunSummary } from '../../sync/run-summary.ts';
import { OverviewLedger } from '../../sync/status/overview.ts';
import type { Tracing } from '../../tracing.ts';
import { Closers } from '../open/closers.ts';
import { type OpenConnections, openConnections } from '../open/open-connections.ts';
import { openEngine } from '../open/open-engine.ts';
import { openWithRetry } from '../open/open-with-retry.ts';
import { openProgress } from '../output/progress.ts';
import type { Role } from '../roles.ts';
import { describeToldService, openConfiguredNotifier } from './open-configured-notifier.ts';
import { runWithTriggers } from './serve-triggers.ts';
import { describeOverdue, openWatchdog } from './watchdog.ts';

export interface ServiceSettings {
  readonly config: Config;
  /** Where the values of the configuration came from. */
  readonly layers: readonly Layer[];
  readonly role: Role;
  readonly kinds: StoreKinds;
  readonly log: Logger;
  readonly redact: Redact;
  readonly tracing: Tracing;
  /** Ends the service. */
  readonly signal: AbortSignal;
  /** Is told the address of the console as soon as the console answers. */
  readonly onConsole?: (url: string) => void;
  /** Work to do once everything is open, before the schedules begin. */
  readonly begin?: (ctx: SyncContext) => Promise<void>;
  /** Is told about every run that was not skipped. */
  readonly onRun?: (summary: RunSummary) => void;
}

/**
 * Runs the service, or one part of it, until the signal ends it. The service starts also while the database,
 * Redis or the platform is down. The console is opened before everything else and closed after everything
 * else.
 */
export async function runService(settings: ServiceSettings): Promise<void> {
  const { config, layers, kinds, log, redact, tracing, signal } = settings;
  const closers = new Closers(log);
  const times = { clock: Date.now, sleep: sleepOrWake };
  // The looks begin before everything else is open: they show what the start waits for.
  const watch = await watchDependencies(config, { kinds, log, redact, ...times });
  const { health, room } = watch;
  const shown = await openConsole(config, {
    ...{ layers, kinds, health, log, redact, ...times },
    version: readVersion(),
    pageFolder: packageFile(PAGE_FOLDER),
  }).catch(async (error: unknown) => {
    await watch.leave();
    throw error;
  });
  if (shown !== undefined) settings.onConsole?.(shown.url);
  const notifier = await openConfiguredNotifier(settings, { health, metrics: shown?.metrics ?? noMetrics });
  const endSoon = () => health.hold('the service is about to end');
  signal.addEventListener('abort', endSoon, { once: true });
  const onWait = (reason: string) => health.hold(reason);
  const open = async () => {
    try {
      const { metrics } = shown ?? {};
      return await openConnections(config, { kinds, log, closers, signal, metrics, tracing, room });
    } catch (error) {
      await closers.close();
      throw error;
    }
  };
  try {
    const parts = await openWithRetry(open, { log, signal, onWait });
    if (parts === undefined) return;
    await work(settings, { parts, closers, watch, shown, notifier, onWait });
    log.info('the service has ended');
  } finally {
    endSoon();
    await closers.close();
    await notifier?.close();
    await watch.leave();
    await shown?.close();
  }
}

interface Opened {
  readonly parts: OpenConnections;
  readonly closers: Closers;
  readonly watch: Awaited<ReturnType<typeof watchDependencies>>;
  readonly shown: Awaited<ReturnType<typeof openConsole>>;
  readonly notifier: Notifier | undefined;
  readonly onWait: (reason: string) => void;
}

/** Works with everything open, until the signal ends the service. */
async function work(
  { config, kinds, role, log, signal, begin, onRun }: ServiceSettings,
  { parts, closers, watch, shown, notifier, onWait }: Opened,
): Promise<void> {
  const { health } = watch;
  const progress = openProgress({ log, terminal: undefined, clock: steadyMs });
  closers.add(() => progress.close());
  const jobs = listJobs(config, kinds);
  const ctx = { ...parts, progress, signal };
  const engine = await openEngine(ctx, { jobs, role, redis: parts.redis, onWait, onRun });
  if (engine === undefined) return;
  watch.watchEmbedded(parts.db);
  watch.watchPlatform(parts.platform);
  // The looks end before what they look through is closed.
  closers.add(() => watch.leave());
  const overview = new OverviewLedger(ctx);
  const redis = parts.redis;
  if (shown !== undefined) closers.add(shown.follow({ ...ctx, redis }, { engine, jobs, overview }));
  if (notifier !== undefined) closers.add(notifier.follow(describeToldService(ctx, overview)));
  if (!signal.aborted) health.release();
  await begin?.(ctx);
  const names = jobs.map(({ name }) => name);
  log.info({ role, jobs: names, platform: config.platform.baseUrl }, 'the service runs');
  const leave = openWatchdog(ctx, {
    ...{ jobs, role, noteDatabaseTime: parts.noteDatabaseTime },
    readDependencies: () => health.report().dependencies,
    onLook(waiting) {
      health.noteOverdue(waiting.filter(({ isOverdue }) => isOverdue).map((each) => describeOverdue(each)));
      shown?.noteWaiting(secondsOf(names, waiting));
    },
  });
  closers.add(leave);
  await runWithTriggers(ctx, engine, { jobs, fill: await openFill(ctx, { role, closers }) });
}

/** Opens what does the backfills that people ask for. The other roles leave these to `all` and `worker`. */
async function openFill(
  ctx: OpenConnections,
  { role, closers }: { role: Role; closers: Closers },
): Promise<Fill | undefined> {
  if (role !== 'all' && role !== 'worker') return undefined;
  if (ctx.redis === undefined) return fillHistory;
  const { openServiceFill } = await import('../open/open-workers.ts');
  return openServiceFill({ ...ctx, closers }, ctx.redis);
}

/** Returns for each job the seconds since it was due, if nothing runs it. */
function secondsOf(names: readonly string[], waiting: readonly Waiting[]): Map<string, number> {
  const seconds = new Map(names.map((name) => [name, 0]));
  for (const { job, overdueSec } of waiting) seconds.set(job, overdueSec);
  return seconds;
}

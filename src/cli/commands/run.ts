import { listJobs } from '../../../jobs/index.ts';
import { openConsole } from '../../console/open-console.ts';
import { watchDependencies } from '../../console/watch-dependencies.ts';
import { UsageError } from '../../errors.ts';
import type { Waiting } from '../../queue/overdue-watch.ts';
import { sleepOrWake } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { Fill } from '../../sync/backfill/fill-range.ts';
import { fillHistory } from '../../sync/history/fill-history.ts';
import type { CommonOptions, Io } from '../io.ts';
import { Closers } from '../open/closers.ts';
import { openCommandLog } from '../open/open-command-log.ts';
import { openConfiguredTracing } from '../open/open-configured-tracing.ts';
import { type OpenConnections, openConnections } from '../open/open-connections.ts';
import { openEngine } from '../open/open-engine.ts';
import { openWithRetry } from '../open/open-with-retry.ts';
import { loadCommandConfig } from '../open/session.ts';
import { openProgress } from '../output/progress.ts';
import { PAGE_FOLDER, packageFile, readVersion } from '../package-root.ts';
import type { Role } from '../roles.ts';
import { runWithTriggers } from '../service/serve-triggers.ts';
import { describeOverdue, openWatchdog } from '../service/watchdog.ts';

export interface RunOptions extends CommonOptions {
  readonly role: Role;
}

/**
 * Runs `plantsync run`: the service, or one part of it. The service starts also while the database, Redis or
 * the platform is down. It returns 0 when it is told to end.
 */
export async function run(io: Io, options: RunOptions): Promise<number> {
  const { config, kinds, redact } = await loadCommandConfig(io, options);
  const { role } = options;
  if (role !== 'all' && config.redis === undefined)
    throw new UsageError(
      'usage.needs_redis',
      `--role ${role} needs redis.url: without Redis, one process does everything`,
    );
  const { log, close: closeLog } = openCommandLog(io, options, { ...config.log, redact });
  const tracing = await openConfiguredTracing(config, { env: io.env, log });
  const closers = new Closers(log);
  const { signal } = io;
  // The looks begin before everything else is open: they show what the start waits for.
  const watch = await watchDependencies(config, {
    ...{ kinds, log, redact },
    clock: Date.now,
    sleep: sleepOrWake,
  });
  const { health, room } = watch;
  const shown = await openConsole(config, {
    ...{ kinds, health, log, redact },
    version: readVersion(),
    pageFolder: packageFile(PAGE_FOLDER),
    clock: Date.now,
    sleep: sleepOrWake,
  }).catch(async (error: unknown) => {
    await watch.leave();
    throw error;
  });
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
    if (parts === undefined) return 0;
    const progress = openProgress({ log, terminal: undefined, clock: steadyMs });
    closers.add(() => progress.close());
    const jobs = listJobs(config, kinds);
    const ctx = { ...parts, progress, signal };
    const engine = await openEngine(ctx, { jobs, role, redis: parts.redis, onWait });
    if (engine === undefined) return 0;
    watch.watchEmbedded(parts.db);
    watch.watchPlatform(parts.platform);
    // The looks end before what they look through is closed.
    closers.add(() => watch.leave());
    if (shown !== undefined) closers.add(shown.follow({ ...ctx, redis: parts.redis }, engine));
    if (!signal.aborted) health.release();
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
    log.info('the service has ended');
    return 0;
  } finally {
    endSoon();
    await closers.close();
    await watch.leave();
    await shown?.close();
    await tracing.close();
    closeLog();
  }
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

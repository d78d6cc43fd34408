import { isTarget, type Job } from '../../../jobs/job.ts';
import { reasonOf } from '../../errors.ts';
import type { DependencyReports } from '../../ledger/dependency-report.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type LastBegin, OverdueWatch, type Waiting } from '../../queue/overdue-watch.ts';
import { RepeatedErrors } from '../../queue/repeated-errors.ts';
import { type Sleep, sleepOrWake } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../../sync/context.ts';
import { formatDuration } from '../output/table.ts';
import { formatSecond } from '../output/time.ts';

const LOOK_MS = 5_000;
const BEAT_MS = 5_000;

export interface WatchdogOptions {
  readonly jobs: readonly Job[];
  /** The role of this process. */
  readonly role: string;
  readonly noteDatabaseTime: (ms: number) => void;
  /** What this process knows of its dependencies. It is told with each sign of life. */
  readonly readDependencies?: (() => DependencyReports) | undefined;
  /** Is told at each look which jobs are due and do not run. */
  readonly onLook?: ((waiting: readonly Waiting[]) => void) | undefined;
  /** The clock and sleep, which a test replaces. */
  readonly parts?: { readonly steadyMs: () => number; readonly sleep: Sleep };
}

type WatchdogContext = Pick<SyncContext, 'ledger' | 'log' | 'clock'> & {
  readonly config: { readonly schedule: { readonly timezone: string } };
};

/**
 * Watches whether the jobs of the service begin in any process, and gives signs of life of this process. The
 * returned function ends both. While Postgres is away nothing is judged, and others report it.
 */
export function openWatchdog(ctx: WatchdogContext, options: WatchdogOptions): () => Promise<void> {
  const ending = new AbortController();
  const watching = watch(ctx, options, ending.signal);
  return () => {
    ending.abort();
    return watching;
  };
}

async function watch(ctx: WatchdogContext, options: WatchdogOptions, signal: AbortSignal): Promise<void> {
  const { ledger, log, config } = ctx;
  const { jobs, onLook, parts = { steadyMs, sleep: sleepOrWake } } = options;
  const clock = () => ctx.clock() / 1000;
  const seen = new OverdueWatch(jobs, {
    ...{ timezone: config.schedule.timezone, clock },
    steadyMs: parts.steadyMs,
  });
  const met = new Set<string>();
  const repeatedErrors = new Map(jobs.map(({ name }) => [name, new RepeatedErrors({ job: name }, log)]));
  let overdue: readonly Waiting[] = [];
  const beating = giveSignsOfLife(ctx, { ...options, readOverdue: () => overdue }, signal);
  while (!signal.aborted) {
    try {
      seen.look(await readSeen(ledger, options, met));
      const waiting = seen.report();
      overdue = waiting.filter(({ isOverdue }) => isOverdue);
      onLook?.(waiting);
      tell(overdue, repeatedErrors);
    } catch (error) {
      log.debug(reasonOf(error), 'the ledger does not tell which jobs are overdue');
    }
    await parts.sleep(LOOK_MS, signal);
  }
  await beating;
}

/** Gives signs of life of this process. They do not wait for the looks at jobs, which may take long. */
async function giveSignsOfLife(
  { ledger, log }: WatchdogContext,
  options: WatchdogOptions & { readonly readOverdue: () => readonly Waiting[] },
  signal: AbortSignal,
): Promise<void> {
  const { role, readOverdue, readDependencies, parts = { sleep: sleepOrWake } } = options;
  let id: number | undefined;
  while (!signal.aborted) {
    try {
      id ??= await ledger.services.begin(role);
      const told = { overdue: readOverdue(), dependencies: readDependencies?.() ?? {} };
      if (!(await ledger.services.beat(id, told))) id = undefined;
    } catch (error) {
      log.debug(reasonOf(error), 'no sign of life can be given');
    }
    await parts.sleep(BEAT_MS, signal);
  }
  // A process that cannot say goodbye is forgotten like a killed one.
  if (id !== undefined) await ledger.services.end(id).catch(() => undefined);
}

async function readSeen(
  ledger: Ledger,
  { jobs, noteDatabaseTime }: WatchdogOptions,
  met: Set<string>,
): Promise<{ begins: Map<string, LastBegin>; resting: Set<string> }> {
  const { found, nowMs } = await ledger.runs.readNewestBegins(jobs.map(({ recorded }) => recorded));
  noteDatabaseTime(nowMs);
  const begins = new Map(
    jobs.flatMap(({ name }, k) => {
      const begin = found[k];
      return begin === undefined ? [] : [[name, begin] as const];
    }),
  );
  const needed = new Set(jobs.flatMap(({ needs }) => needs));
  if ([...needed].some((name) => !met.has(name))) await noteMet(ledger, jobs, met);
  const pauses = await ledger.control.readPauses();
  const mayNot = (job: Job) =>
    job.needs.some((name) => !met.has(name)) || pauses.some(({ target }) => isTarget(job, target));
  return { begins, resting: new Set(jobs.filter(mayNot).map(({ name }) => name)) };
}

async function noteMet(ledger: Ledger, jobs: readonly Job[], met: Set<string>): Promise<void> {
  const successes = await ledger.runs.readLastSuccesses();
  for (const { name, recorded } of jobs)
    if (successes.some(({ stream, kind }) => stream === recorded.stream && kind === recorded.kind))
      met.add(name);
}

/** The sentence stays the same as long as the job is overdue, so that the log has it once a minute. */
function tell(overdue: readonly Waiting[], repeatedErrors: ReadonlyMap<string, RepeatedErrors>): void {
  for (const [job, complaint] of repeatedErrors) {
    const found = overdue.find((each) => each.job === job);
    if (found === undefined) complaint.end();
    else
      complaint.say(
        `${job} is overdue: it was due at ${formatSecond(found.dueMs * 1000)}, and nothing runs it`,
        'sync.job_overdue',
      );
  }
}

/** Describes an overdue job for people. */
export function describeOverdue({
  job,
  dueMs,
  overdueSec,
}: Pick<Waiting, 'job' | 'dueMs' | 'overdueSec'>): string {
  return `${job} is overdue by ${formatDuration(overdueSec * 1000)}: it was due at ${formatSecond(dueMs * 1000)}, and nothing runs it`;
}

import { listJobs } from '../../../jobs/index.ts';
import { isTarget, type Job } from '../../../jobs/job.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { type Control, EVERYTHING } from '../../ledger/control.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import { sleepOrWake } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { openSessionDatabase, type Session, withSession } from '../open/session.ts';
import { describeTargets } from '../output/describe-targets.ts';
import { requireKnown } from '../output/known-names.ts';
import { formatSecond } from '../output/time.ts';

/**
 * How long `trigger` waits for a service to take the triggers. A service looks for them every other second.
 */
const TAKEN_WITHIN_MS = 6_000;
const LOOK_MS = 250;

/**
 * Runs `plantsync pause [name…]`: the service begins no runs of these until they are resumed. Running jobs
 * end normally.
 */
export async function pause(io: Io, names: readonly string[], options: CommonOptions): Promise<number> {
  return withControl(io, options, async ({ control }, session) => {
    requireKnown(names, targetsOf(session));
    const targets = names.length > 0 ? names : [EVERYTHING];
    await control.pause(targets);
    print(io, options, {
      json: { paused: targets },
      lines: () => [
        `paused: ${describeTargets(targets)}. To go on: plantsync resume ${names.join(' ')}`.trim(),
      ],
    });
    return ExitCode.done;
  });
}

/** Runs `plantsync resume [name…]`: ends pauses. Without names it ends all pauses. */
export async function resume(io: Io, names: readonly string[], options: CommonOptions): Promise<number> {
  return withControl(io, options, async ({ control }, session) => {
    requireKnown(names, targetsOf(session));
    const resumed = await control.resume(names.length > 0 ? names : [EVERYTHING]);
    const left = (await control.readPauses()).map(({ target }) => target);
    print(io, options, {
      json: { resumed, paused: left },
      lines: () => [
        resumed.length > 0 ? `resumed: ${describeTargets(resumed)}` : 'none of these was paused',
        ...(left.length > 0 ? [`still paused: ${describeTargets(left)}`] : []),
      ],
    });
    return ExitCode.done;
  });
}

/**
 * Runs `plantsync trigger name…`: the service runs these now. Returns exit code 3 if no service takes them
 * within some seconds.
 */
export async function trigger(io: Io, names: readonly string[], options: CommonOptions): Promise<number> {
  return withControl(io, options, async ({ control }, session) => {
    requireKnown(names, targetsOf(session));
    const { config, kinds } = session;
    const jobs = listJobs(config, kinds).filter((job) => names.some((name) => isTriggered(job, name)));
    await refusePaused(control, jobs);
    const asked = jobs.map(({ name }) => name);
    const isTaken = await waitUntilTaken(control, await control.trigger(asked), io.signal);
    const list = asked.join(', ');
    print(io, options, {
      json: { jobs: asked, taken: isTaken },
      lines: () => [
        isTaken
          ? `begun: ${list}. plantsync status shows how it ends`
          : `asked for: ${list}. No service has taken the request yet: is "plantsync run" running? A service that starts within a day takes it`,
      ],
    });
    return isTaken ? ExitCode.done : ExitCode.partial;
  });
}

/**
 * Runs `plantsync cancel [run…]`: ends a backfill that runs in any process. Without a number, the only one is
 * ended.
 */
export async function cancel(io: Io, numbers: readonly string[], options: CommonOptions): Promise<number> {
  return withControl(io, options, async ({ runs }) => {
    const running = await runs.readRunning('backfill');
    const asked = await runs.askToCancel(chooseRuns(running, numbers));
    print(io, options, {
      json: { cancelled: asked },
      lines: () => [`run ${asked.join(', ')} ends within seconds; what is stored stays`],
    });
    return ExitCode.done;
  });
}

function chooseRuns(running: readonly RunRecord[], numbers: readonly string[]): number[] {
  const [only, ...others] = running;
  if (only === undefined)
    throw new UsageError('usage.unknown_run', 'There is nothing to cancel: no backfill is running.');
  const known = running.map(describeRun);
  if (numbers.length === 0 && others.length > 0)
    throw new UsageError(
      'usage.missing_argument',
      'Several backfills are running; name one by its number:',
      known,
    );
  const unknown = numbers.filter((number) => !running.some(({ id }) => String(id) === number));
  if (unknown.length > 0)
    throw new UsageError(
      'usage.unknown_run',
      `No backfill runs as ${unknown.join(', ')}; running are:`,
      known,
    );
  return numbers.length > 0 ? numbers.map(Number) : [only.id];
}

function describeRun({ id, stream, startedAt }: RunRecord): string {
  return `${id}: ${stream}, begun ${formatSecond(startedAt)}`;
}

/**
 * Tells whether a name triggers a job. Sweeps read much again, so they run only if they are named themselves.
 */
function isTriggered(job: Job, name: string): boolean {
  return job.waits ? job.name === name : isTarget(job, name);
}

async function refusePaused(control: Control, jobs: readonly Job[]): Promise<void> {
  const pauses = await control.readPauses();
  const paused = pauses.filter(({ target }) => jobs.some((job) => isTarget(job, target)));
  if (paused.length === 0) return;
  const targets = paused.map(({ target }) => target);
  throw new UsageError(
    'usage.paused',
    `Paused: ${describeTargets(targets)}. Resume it first (plantsync resume).`,
  );
}

/** Waits until a service has taken all triggers. Resolves to false if the time or the command ends before. */
async function waitUntilTaken(
  control: Control,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<boolean> {
  const lastMs = steadyMs() + TAKEN_WITHIN_MS;
  while (steadyMs() <= lastMs && !signal.aborted) {
    if ((await control.readWaiting(ids)).length === 0) return true;
    await sleepOrWake(LOOK_MS, signal);
  }
  return false;
}

/** Returns the names of streams and of jobs. */
function targetsOf({ config, kinds }: Pick<Session, 'config' | 'kinds'>): string[] {
  return [...new Set(listJobs(config, kinds).flatMap(({ name, recorded }) => [recorded.stream, name]))];
}

function withControl<T>(
  io: Io,
  options: CommonOptions,
  work: (ledger: Ledger, session: Session) => Promise<T>,
): Promise<T> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    return work(ledger, session);
  });
}

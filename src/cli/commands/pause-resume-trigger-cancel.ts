import { pauseTargets, resumeTargets, triggerJobs, waitUntilTaken } from '../../../jobs/control.ts';
import { listJobs } from '../../../jobs/index.ts';
import type { Job } from '../../../jobs/job.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { describeTargets } from '../../ledger/control.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { openSessionDatabase, type Session, withSession } from '../open/session.ts';
import { formatSecond } from '../output/time.ts';

/**
 * Runs `plantsync pause [name…]`: the service begins no runs of these until they are resumed. Running jobs
 * end normally.
 */
export async function pause(io: Io, names: readonly string[], options: CommonOptions): Promise<number> {
  return withControl(io, options, async ({ control }, session) => {
    const targets = await pauseTargets(control, jobsOf(session), names);
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
    const { resumed, left } = await resumeTargets(control, jobsOf(session), names);
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
    const { jobs: asked, ids } = await triggerJobs(control, jobsOf(session), names);
    const isTaken = await waitUntilTaken(control, ids, io.signal);
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

function jobsOf({ config, kinds }: Pick<Session, 'config' | 'kinds'>): Job[] {
  return listJobs(config, kinds);
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

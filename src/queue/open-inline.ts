import { backoffMs } from '../backoff.ts';
import { messageOf } from '../errors.ts';
import { type Sleep, sleepOrWake, whenAborted } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import { ClockWatch } from './clock-watch.ts';
import {
  type Engine,
  type EngineJob,
  type EngineOptions,
  firstDue,
  type JobOutcome,
  RETRY_WAITS,
} from './engine.ts';
import { nextRun } from './next-run.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { withJobSignal } from './shutdown.ts';
import { WakeUp } from './wake-up.ts';

/** What a test replaces. */
export interface InlineDeps {
  readonly clock: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly steadyMs: () => number;
  /** Resolves after so many milliseconds, or at once when the signal says so. */
  readonly sleep: Sleep;
}

/** Waits are cut into pieces, because the clock may be set, and timers stand still while a machine sleeps. */
const LONGEST_SLEEP_MS = 5_000;

/**
 * The engine without Redis: runs jobs in this process, each when it is due and never beside itself. A job that fails is
 * logged and tried again when next due, or sooner if that is far off.
 */
export function openInline(
  options: EngineOptions,
  parts: InlineDeps = { clock: Date.now, steadyMs, sleep: sleepOrWake },
): Engine {
  const wakeUps = new Map(options.jobs.map(({ name }) => [name, new WakeUp()]));
  return {
    run: () => runInline({ ...options, ...parts, wakeUps }),
    trigger: async (name) => wakeUps.get(name)?.ring(),
    describeHealth: async () => ({}),
  };
}

async function runInline(options: InlineOptions): Promise<void> {
  const lastMs = await options.readLastSuccesses();
  const ringAll = () => {
    for (const wakeUp of options.wakeUps.values()) wakeUp.ring();
  };
  options.signal.addEventListener('abort', ringAll, { once: true });
  const succeeded = new Map(options.jobs.map((job) => [job.name, makeLatch()]));
  const runLoops = (jobSignal: AbortSignal) => {
    const engine = { ...options, lastMs, succeeded, jobSignal, watch: new ClockWatch(options) };
    return Promise.all(options.jobs.map((job) => runLoop(job, engine)));
  };
  await withJobSignal(options, runLoops, options.sleep);
}

interface InlineOptions extends EngineOptions, InlineDeps {
  /** By the names of the jobs. */
  readonly wakeUps: ReadonlyMap<string, WakeUp>;
}

interface RunningEngine extends InlineOptions {
  readonly lastMs: ReadonlyMap<string, number>;
  readonly succeeded: ReadonlyMap<string, Latch>;
  readonly jobSignal: AbortSignal;
  readonly watch: ClockWatch;
}

async function runLoop(job: EngineJob, engine: RunningEngine): Promise<void> {
  const { timezone, clock, signal } = engine;
  const lastMs = engine.lastMs.get(job.name);
  if (lastMs !== undefined) engine.succeeded.get(job.name)?.open();
  await Promise.race([
    Promise.all(job.needs.map((name) => engine.succeeded.get(name)?.opened)),
    whenAborted(signal),
  ]);
  const repeatedErrors = new RepeatedErrors({ job: job.name }, { log: engine.log, clock: engine.steadyMs });
  const wakeUp = engine.wakeUps.get(job.name) ?? new WakeUp();
  let failures = 0;
  const planAfter = (afterMs: number) => {
    const dueMs = nextRun(job.schedule, { afterMs, timezone });
    return failures > 0 ? Math.min(dueMs, clock() + backoffMs(RETRY_WAITS, failures - 1)) : dueMs;
  };
  let dueMs = firstDue(job, engine.jobs, { nowMs: clock(), timezone, lastMs });
  const turn = {
    wakeUp,
    dueMs: () => dueMs,
    // What was planned by a clock that was ahead would wait until the right one has come so far.
    planAgain: () => {
      dueMs = Math.min(dueMs, planAfter(clock()));
    },
  };
  while (await waitFor(turn, engine)) {
    wakeUp.silence();
    const outcome = await runOnce(job, engine, repeatedErrors);
    failures = outcome === 'failed' ? failures + 1 : 0;
    // What another process does has begun, at least.
    if (outcome === 'done' || outcome === 'busy') engine.succeeded.get(job.name)?.open();
    // A distance says how often at most, so it counts from the end; a time of day must not be lost to a long run.
    dueMs = planAfter('everyMs' in job.schedule ? clock() : Math.min(dueMs, clock()));
  }
}

async function runOnce(
  job: EngineJob,
  { log, signal, jobSignal }: RunningEngine,
  repeatedErrors: RepeatedErrors,
): Promise<JobOutcome | 'failed'> {
  try {
    const outcome = await job.run(jobSignal);
    if (outcome === 'paused') log.debug({ job: job.name }, 'skipped: it is paused');
    repeatedErrors.end();
    return outcome;
  } catch (error) {
    if (signal.aborted) log.info({ job: job.name }, 'stopped; it goes on from here at the next start');
    else repeatedErrors.say(messageOf(error));
    return 'failed';
  }
}

/** The next turn of a job. */
interface NextTurn {
  readonly wakeUp: WakeUp;
  dueMs(): number;
  /** The clock was set. */
  planAgain(): void;
}

/** Waits until it is time, or the wakeUp rings; false if the engine ended meanwhile. */
async function waitFor(
  { wakeUp, dueMs, planAgain }: NextTurn,
  { clock, sleep, signal, watch }: RunningEngine,
): Promise<boolean> {
  let { steps } = watch;
  for (;;) {
    watch.look();
    if (watch.steps !== steps) planAgain();
    ({ steps } = watch);
    if (signal.aborted || wakeUp.signal.aborted || clock() >= dueMs()) return !signal.aborted;
    await sleep(Math.min(dueMs() - clock(), LONGEST_SLEEP_MS), wakeUp.signal);
  }
}

interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

function makeLatch(): Latch {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

import { backoffMs } from '../backoff.ts';
import { codeOf, messageOf } from '../errors.ts';
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

/** Clocks and sleep, which tests replace. */
export interface InlineDeps {
  readonly clock: () => number;
  /** A clock that nobody sets, in milliseconds. */
  readonly steadyMs: () => number;
  /** Resolves after this time, or at once when the signal is aborted. */
  readonly sleep: Sleep;
}

/**
 * Longest piece of a wait. Waits are cut into pieces, because the clock may be set, and timers stand still
 * while a machine sleeps.
 */
const LONGEST_SLEEP_MS = 5_000;

/**
 * Makes the engine without Redis. It runs jobs in this process, each when it is due and never twice at once.
 * A failed job is logged, and tried again when it is next due, or sooner if that is far off.
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
    leads: () => !options.signal.aborted,
  };
}

async function runInline(options: InlineOptions): Promise<void> {
  const lastMs = await options.readLastSuccesses();
  const ringAll = () => {
    for (const wakeUp of options.wakeUps.values()) wakeUp.ring();
  };
  // All jobs wait for this: the signal outlives the engine, and a listener of each job would stay on it.
  const ended = whenAborted(options.signal).then(ringAll);
  const succeeded = new Map(options.jobs.map((job) => [job.name, makeLatch()]));
  const runLoops = (jobSignal: AbortSignal) => {
    const engine = { ...options, lastMs, succeeded, jobSignal, ended, watch: new ClockWatch(options) };
    return Promise.all(options.jobs.map((job) => runLoop(job, engine)));
  };
  await withJobSignal(options, runLoops, options.sleep);
}

interface InlineOptions extends EngineOptions, InlineDeps {
  /** One for each job, by its name. */
  readonly wakeUps: ReadonlyMap<string, WakeUp>;
}

interface RunningEngine extends InlineOptions {
  readonly lastMs: ReadonlyMap<string, number>;
  readonly succeeded: ReadonlyMap<string, Latch>;
  readonly jobSignal: AbortSignal;
  /** Resolves when the engine is told to end. */
  readonly ended: Promise<void>;
  readonly watch: ClockWatch;
}

async function runLoop(job: EngineJob, engine: RunningEngine): Promise<void> {
  const { timezone, clock, ended } = engine;
  const lastMs = engine.lastMs.get(job.name);
  if (lastMs !== undefined) engine.succeeded.get(job.name)?.open();
  await Promise.race([Promise.all(job.needs.map((name) => engine.succeeded.get(name)?.opened)), ended]);
  const repeatedErrors = new RepeatedErrors({ job: job.name }, engine.log);
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
    // A time that was planned by a clock that was ahead would be reached too late by the right clock.
    planAgain: () => {
      dueMs = Math.min(dueMs, planAfter(clock()));
    },
  };
  while (await waitFor(turn, engine)) {
    wakeUp.silence();
    const outcome = await runOnce(job, engine, repeatedErrors);
    failures = outcome === 'failed' ? failures + 1 : 0;
    // A job that another process does has begun, at least.
    if (outcome === 'done' || outcome === 'busy') engine.succeeded.get(job.name)?.open();
    // A distance says how often at most, so it counts from the end of a run. A time of day must not be lost
    // to a long run.
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
    if (outcome === 'paused') log.debug({ job: job.name }, 'skipped: the job is paused');
    repeatedErrors.end();
    return outcome;
  } catch (error) {
    if (signal.aborted) log.info({ job: job.name }, 'stopped; the job goes on from here at the next start');
    else repeatedErrors.say(messageOf(error), codeOf(error));
    return 'failed';
  }
}

/** The next turn of a job. */
interface NextTurn {
  readonly wakeUp: WakeUp;
  dueMs(): number;
  /** Plans the turn again after the clock was set. */
  planAgain(): void;
}

/** Waits until a turn is due or its wake-up rings. Resolves to false if the engine ended meanwhile. */
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

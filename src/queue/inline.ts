import { setMaxListeners } from 'node:events';
import type { Schedule } from '../config/schedule.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { firstRun, nextRun } from './next-run.ts';
import { whenAborted } from './sleep.ts';

/** Something that is run by itself, again and again. */
export interface InlineJob {
  readonly name: string;
  readonly schedule: Schedule;
  /** Names of jobs that must have succeeded once before this one begins. */
  readonly needs: readonly string[];
  /** Whether it begins at once if it never succeeded, whatever its schedule: others wait for it. */
  readonly atOnce?: boolean | undefined;
  /** When it last began, with success, in an earlier process; epoch milliseconds. */
  readonly lastMs?: number | undefined;
  /** Rejects when it failed; the message names the stream and says what to do. */
  run(signal: AbortSignal): Promise<void>;
}

export interface InlineOptions {
  readonly jobs: readonly InlineJob[];
  /** Time zone of cron expressions. */
  readonly timezone: string;
  readonly log: Logger;
  readonly clock: () => number;
  /** Resolves after so many milliseconds, or at once when the signal says so. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the engine: no job begins any more. */
  readonly signal: AbortSignal;
  /** How long running jobs may go on after that before their own signal tells them to stop. */
  readonly shutdownTimeoutMs: number;
}

/** Waits are cut into pieces, because timers stand still while a machine sleeps. */
const longestSleepMs = 30_000;
const firstRetryMs = 5_000;
const longestRetryMs = 300_000;
/** An error that comes again and again is logged once in this time. */
const sameComplaintMs = 60_000;

/**
 * Runs jobs in this process, each when it is due and never beside itself, until `signal` ends it. A job that fails is
 * logged and tried again when next due, or sooner if that is far off. Resolves when every job has ended.
 */
export async function runInline(options: InlineOptions): Promise<void> {
  const ending = new AbortController();
  // Every request of a job listens to it: many listeners are no leak.
  setMaxListeners(0, ending.signal);
  const succeeded = new Map(options.jobs.map((job) => [job.name, makeLatch()]));
  const engine = { ...options, succeeded, jobSignal: ending.signal };
  const loops = Promise.all(options.jobs.map((job) => runLoop(job, engine)));
  const finished = new AbortController();
  const limit = whenAborted(options.signal, finished.signal).then(async () => {
    if (!finished.signal.aborted) await options.sleep(options.shutdownTimeoutMs, finished.signal);
    ending.abort(options.signal.reason);
  });
  try {
    await loops;
  } finally {
    finished.abort();
    await limit;
  }
}

interface Engine extends InlineOptions {
  readonly succeeded: ReadonlyMap<string, Latch>;
  readonly jobSignal: AbortSignal;
}

async function runLoop(job: InlineJob, engine: Engine): Promise<void> {
  const { timezone, clock, signal } = engine;
  if (job.lastMs !== undefined) engine.succeeded.get(job.name)?.open();
  await Promise.race([
    Promise.all(job.needs.map((name) => engine.succeeded.get(name)?.opened)),
    whenAborted(signal),
  ]);
  const urgent = job.atOnce && job.lastMs === undefined;
  let dueMs = urgent ? clock() : firstRun(job.schedule, { nowMs: clock(), timezone, lastMs: job.lastMs });
  let failures = 0;
  const complaints = new Complaints(job.name, engine);
  while (await waitUntil(dueMs, engine)) {
    const ok = await runOnce(job, engine, complaints);
    failures = ok ? 0 : failures + 1;
    if (ok) engine.succeeded.get(job.name)?.open();
    // A distance says how often at most, so it counts from the end; a time of day must not be lost to a long run.
    const afterMs = 'everyMs' in job.schedule ? clock() : dueMs;
    dueMs = nextRun(job.schedule, { afterMs, timezone });
    if (!ok) dueMs = Math.min(dueMs, clock() + Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1)));
  }
}

async function runOnce(
  job: InlineJob,
  { log, signal, jobSignal }: Engine,
  complaints: Complaints,
): Promise<boolean> {
  try {
    await job.run(jobSignal);
    complaints.end();
    return true;
  } catch (error) {
    if (signal.aborted) log.info({ job: job.name }, 'stopped; it goes on from here at the next start');
    else complaints.say(messageOf(error));
    return false;
  }
}

/** What a job fails with again and again, as in an outage, is logged now and then only. */
class Complaints {
  readonly #job: string;
  readonly #engine: Pick<Engine, 'log' | 'clock'>;
  #last: { readonly message: string; readonly atMs: number } | undefined;
  #failures = 0;

  constructor(job: string, engine: Pick<Engine, 'log' | 'clock'>) {
    this.#job = job;
    this.#engine = engine;
  }

  say(message: string): void {
    const { log, clock } = this.#engine;
    this.#failures += 1;
    const isNews = message !== this.#last?.message || clock() - this.#last.atMs >= sameComplaintMs;
    log[isNews ? 'error' : 'debug']({ job: this.#job, failures: this.#failures }, message);
    if (isNews) this.#last = { message, atMs: clock() };
  }

  end(): void {
    if (this.#failures > 0)
      this.#engine.log.info({ job: this.#job, failures: this.#failures }, 'succeeds again');
    this.#failures = 0;
    this.#last = undefined;
  }
}

/** False if the engine ended meanwhile. */
async function waitUntil(dueMs: number, { clock, sleep, signal }: Engine): Promise<boolean> {
  while (!signal.aborted && clock() < dueMs) await sleep(Math.min(dueMs - clock(), longestSleepMs), signal);
  return !signal.aborted;
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

import { type Job as BullJob, DelayedError, WaitingError } from 'bullmq';
import { backoffMs } from '../../backoff.ts';
import { messageOf } from '../../errors.ts';
import { steadyMs } from '../../steady-clock.ts';
import { type EngineJob, type EngineOptions, RETRY_WAITS } from '../engine.ts';
import type { FailureCounts } from '../failure-counts.ts';
import { nextRun } from '../next-run.ts';
import type { Prerequisites } from '../prerequisites.ts';
import type { SharedClock } from '../redis/server-time.ts';
import { RepeatedErrors } from '../repeated-errors.ts';
import { PIECE } from './dispatch-pieces.ts';

export interface ProcessorOptions extends EngineOptions {
  readonly prerequisites: Prerequisites;
  readonly failures: FailureCounts;
  readonly readTime: SharedClock;
  /** Tells running jobs to stop. */
  readonly jobSignal: AbortSignal;
}

/** A job that waits for another looks again after this time. */
const WAIT_MS = 2_000;

/**
 * Does what a worker has taken from a queue. A turn of a job ends done, skipped or failed; before that it may be put off, but
 * never beyond the next turn, so that there is one of each job at most.
 */
export class Processor {
  readonly #options: ProcessorOptions;
  readonly #jobs: ReadonlyMap<string, EngineJob>;
  readonly #repeatedErrors: ReadonlyMap<string, RepeatedErrors>;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(options: ProcessorOptions) {
    const { jobs, log } = options;
    this.#options = options;
    this.#jobs = new Map(jobs.map((job) => [job.name, job]));
    this.#repeatedErrors = new Map(
      jobs.map(({ name }) => [name, new RepeatedErrors({ job: name }, { log, clock: steadyMs })]),
    );
  }

  /** Resolves when no job is at work in this process any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  /** For a worker; resolves to what came of the turn. */
  async process(turn: BullJob, token = ''): Promise<unknown> {
    const { runPiece } = this.#options;
    if (turn.name === PIECE && runPiece !== undefined) return this.#runPiece(turn, token, runPiece);
    const job = this.#jobs.get(turn.name);
    if (job === undefined) {
      this.#options.log.warn(
        { job: turn.name },
        'skipped: the configuration of this process has no such job; do all processes have the same?',
      );
      return 'skipped: unknown here';
    }
    const taken = { turn, job, token };
    try {
      this.#options.signal.throwIfAborted();
      if (await this.#options.prerequisites.areMet(job.needs)) return await this.#run(taken);
      return await this.#putOff(taken, WAIT_MS, 'skipped: what it needs has not been done yet');
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      return this.#fail(taken, error);
    }
  }

  /** A piece that was cut short by the end of this process is for another one. */
  async #runPiece(
    turn: BullJob,
    token: string,
    run: NonNullable<EngineOptions['runPiece']>,
  ): Promise<unknown> {
    const { jobSignal, signal } = this.#options;
    try {
      return await this.#track(`${PIECE} ${turn.id}`, run(turn.data, jobSignal));
    } catch (error) {
      if (!signal.aborted) throw error;
      return giveBack(turn, token);
    }
  }

  /** Counts work as under way until it ends. */
  async #track<T>(name: string, work: Promise<T>): Promise<T> {
    this.#running.set(name, work);
    try {
      return await work;
    } finally {
      this.#running.delete(name);
    }
  }

  async #run(taken: Turn): Promise<string> {
    const { job, turn } = taken;
    const { prerequisites, failures, jobSignal, log } = this.#options;
    // Also without the lock in Postgres, which a job that outlasts Postgres does without.
    if (!this.#running.has(job.name)) {
      const outcome = await this.#track(job.name, job.run(jobSignal));
      if (outcome === 'done') {
        prerequisites.note(job.name);
        this.#repeatedErrors.get(job.name)?.end();
        await failures.clear(job.name);
        return 'done';
      }
      if (outcome === 'paused') return 'skipped: it is paused';
    }
    log.debug({ job: job.name }, 'skipped: it is being done');
    // A time of day must not be lost to a long run, nor what somebody asked for; a distance comes again soon.
    return 'cron' in job.schedule || isAsked(turn)
      ? this.#putOff(taken, WAIT_MS, 'skipped: it was being done')
      : 'skipped: it is being done';
  }

  async #fail(taken: Turn, error: unknown): Promise<never> {
    const { failures, signal, log } = this.#options;
    const { job, turn, token } = taken;
    if (signal.aborted) {
      log.info({ job: job.name }, 'stopped; it goes on from here at the next start');
      return giveBack(turn, token);
    }
    const message = messageOf(error);
    this.#repeatedErrors.get(job.name)?.say(message);
    await this.#putOff(taken, backoffMs(RETRY_WAITS, (await failures.add(job.name)) - 1), message);
    throw error;
  }

  /** Puts the turn off, unless the next one comes before; then resolves to how it ends. */
  async #putOff({ turn, job, token }: Turn, delayMs: number, ending: string): Promise<string> {
    const { timezone, readTime } = this.#options;
    const nowMs = await readTime();
    if (nowMs + delayMs >= nextRun(job.schedule, { afterMs: nowMs, timezone })) return ending;
    // BullMQ makes a delay of it, by the same clock of ours.
    await turn.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }
}

/** Gives the turn back to its queue, for another process or the next start. */
async function giveBack(turn: BullJob, token: string): Promise<never> {
  await turn.moveToWait(token);
  throw new WaitingError();
}

/** The turns of the schedule come from a scheduler. */
function isAsked(turn: BullJob): boolean {
  return turn.repeatJobKey === undefined;
}

/** A turn of a job, as a worker has taken it. */
interface Turn {
  readonly turn: BullJob;
  readonly job: EngineJob;
  readonly token: string;
}

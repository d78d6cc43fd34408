import { type Job as BullJob, DelayedError, WaitingError } from 'bullmq';
import { backoffMs } from '../../backoff.ts';
import { codeOf, messageOf } from '../../errors.ts';
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

/** A job that waits for another one looks again after this time. */
const WAIT_MS = 2_000;

/**
 * Does the work of the turns that a worker has taken from a queue. A turn of a job ends done, skipped or
 * failed. Before its end a turn may be put off, but never beyond the next turn, so each job has one turn at
 * most.
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
    this.#repeatedErrors = new Map(jobs.map(({ name }) => [name, new RepeatedErrors({ job: name }, log)]));
  }

  /** Resolves when no job runs in this process any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  /** Does the work of a turn for a worker. Resolves to how the turn ended. */
  async process(turn: BullJob, token = ''): Promise<unknown> {
    const { runPiece } = this.#options;
    if (turn.name === PIECE && runPiece !== undefined) return this.#runPiece(turn, token, runPiece);
    const job = this.#jobs.get(turn.name);
    if (job === undefined) {
      this.#options.log.warn(
        { job: turn.name },
        'skipped: the configuration of this process has no such job; do all processes have the same?',
      );
      return 'skipped: this process does not know the job';
    }
    const taken = { turn, job, token };
    try {
      this.#options.signal.throwIfAborted();
      if (await this.#options.prerequisites.areMet(job.needs)) return await this.#run(taken);
      return await this.#putOff(taken, WAIT_MS, 'skipped: a job that this one needs has not succeeded yet');
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      return this.#fail(taken, error);
    }
  }

  /**
   * Does a piece of a backfill. If the end of this process cuts the piece short, it goes back for another
   * process.
   */
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
    // This check needs no lock in Postgres, because a job that outlasts Postgres goes on without its lock.
    if (!this.#running.has(job.name)) {
      const outcome = await this.#track(job.name, job.run(jobSignal));
      if (outcome === 'done') {
        prerequisites.note(job.name);
        this.#repeatedErrors.get(job.name)?.end();
        await failures.clear(job.name);
        return 'done';
      }
      if (outcome === 'paused') return 'skipped: the job is paused';
    }
    log.debug({ job: job.name }, 'skipped: the job is already running');
    // A time of day, or a run that somebody asked for, must not be lost to a long run. A distance comes again
    // soon.
    return 'cron' in job.schedule || isAsked(turn)
      ? this.#putOff(taken, WAIT_MS, 'skipped: the job was already running')
      : 'skipped: the job is already running';
  }

  async #fail(taken: Turn, error: unknown): Promise<never> {
    const { failures, signal, log } = this.#options;
    const { job, turn, token } = taken;
    if (signal.aborted) {
      log.info({ job: job.name }, 'stopped; the job goes on from here at the next start');
      return giveBack(turn, token);
    }
    const message = messageOf(error);
    this.#repeatedErrors.get(job.name)?.say(message, codeOf(error));
    await this.#putOff(taken, backoffMs(RETRY_WAITS, (await failures.add(job.name)) - 1), message);
    throw error;
  }

  /**
   * Puts a turn off. If the next turn comes earlier, it resolves to `ending` instead, which ends this turn.
   */
  async #putOff({ turn, job, token }: Turn, delayMs: number, ending: string): Promise<string> {
    const { timezone, readTime } = this.#options;
    const nowMs = await readTime();
    if (nowMs + delayMs >= nextRun(job.schedule, { afterMs: nowMs, timezone })) return ending;
    // BullMQ makes a delay out of this time by the same clock of this process.
    await turn.moveToDelayed(Date.now() + delayMs, token);
    throw new DelayedError();
  }
}

/** Gives a turn back to its queue, for another process or the next start. */
async function giveBack(turn: BullJob, token: string): Promise<never> {
  await turn.moveToWait(token);
  throw new WaitingError();
}

/** Returns true for a turn that somebody asked for. The turns of the schedule come from a scheduler. */
function isAsked(turn: BullJob): boolean {
  return turn.repeatJobKey === undefined;
}

/** A turn of a job that a worker has taken. */
interface Turn {
  readonly turn: BullJob;
  readonly job: EngineJob;
  readonly token: string;
}

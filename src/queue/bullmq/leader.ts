import { sleepOrWake } from '../../sleep.ts';
import { type EngineOptions, firstDue, queueNames } from '../engine.ts';
import type { RedisConnections, RedisSettings } from '../redis/redis-connections.ts';
import type { SharedClock } from '../redis/server-time.ts';
import { RepeatedErrors } from '../repeated-errors.ts';
import type { BullQueues } from './bull-queues.ts';
import { reconcile, type WantedScheduler } from './reconcile.ts';

/** The right to keep the schedules, which one process has. */
export interface Leadership {
  /** Rejects if the leadership has ended. */
  check(): Promise<void>;
  release(): Promise<void>;
}

export interface LeaderOptions extends EngineOptions {
  /** Takes the leadership of this name. Resolves to undefined while another process has it. */
  readonly takeLead: (name: string) => Promise<Leadership | undefined>;
  readonly queues: BullQueues;
  readonly redis: RedisConnections;
  readonly settings: RedisSettings;
  /** Time between two looks whether the schedulers are as the configuration wants them. */
  readonly tickMs: number;
  readonly readTime: SharedClock;
}

/**
 * Keeps the schedulers in Redis in line with the configuration, in the one process that holds a lock in
 * Postgres. A leader that dies, stands still, or loses Postgres or Redis also loses the lock. Another process
 * takes the lock at its next tick. Two leaders at once do no harm, because they write the same.
 */
export class Leader {
  readonly #options: LeaderOptions;
  readonly #repeatedErrors: RepeatedErrors;
  #leadership: Leadership | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#repeatedErrors = new RepeatedErrors({ role: 'scheduler' }, options.log);
  }

  /** Whether this process had the leadership when it last looked. */
  get leads(): boolean {
    return this.#leadership !== undefined;
  }

  /** Leads, or waits to lead, until the signal of the options. */
  async run(): Promise<void> {
    const { tickMs, signal } = this.#options;
    while (!signal.aborted) {
      await this.#lead();
      await sleepOrWake(tickMs, signal);
    }
    await this.#giveUp();
  }

  async #lead(): Promise<void> {
    const { takeLead, settings, log, signal, redis } = this.#options;
    try {
      if (this.#leadership === undefined) {
        this.#leadership = await takeLead(`schedules of ${settings.prefix}`);
        if (this.#leadership === undefined) return;
        log.info('this process keeps the schedules');
      } else await this.#leadership.check();
      if (!signal.aborted) await this.#reconcileAll();
      this.#repeatedErrors.end();
    } catch (error) {
      const { code, message } = redis.asStoreError(error);
      this.#repeatedErrors.say(`schedules cannot be kept: ${message}`, code);
      await this.#giveUp();
    }
  }

  async #giveUp(): Promise<void> {
    const leadership = this.#leadership;
    this.#leadership = undefined;
    await leadership?.release();
  }

  async #reconcileAll(): Promise<void> {
    const { jobs, queues, log, readTime } = this.#options;
    const wanted = this.#wantedSchedulers();
    for (const queue of queueNames) {
      const inQueue = wanted.filter((_, k) => jobs[k]?.queue === queue);
      const { made, removed, tooFar } = await reconcile(queues[queue], inQueue, readTime);
      if (made.length > 0 || removed.length > 0) log.info({ queue, made, removed }, 'schedules were changed');
      if (tooFar.length > 0)
        log.warn(
          { queue, jobs: tooFar },
          'the next turns of these jobs were later than their schedules allow, as after a wrong clock: they are made again',
        );
    }
  }

  #wantedSchedulers(): WantedScheduler[] {
    const { jobs, timezone, readLastSuccesses } = this.#options;
    let successes: Promise<ReadonlyMap<string, number>> | undefined;
    return jobs.map((job) => ({
      name: job.name,
      schedule: job.schedule,
      timezone,
      isDue: async (nowMs) => {
        successes ??= readLastSuccesses();
        const lastMs = (await successes).get(job.name);
        return firstDue(job, jobs, { nowMs, timezone, lastMs }) <= nowMs;
      },
    }));
  }
}

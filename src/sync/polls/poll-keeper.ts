import { type ErrorCode, reasonOf, StoreError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { withFence } from '../../postgres/fence.ts';
import { formatInstant } from '../../series/instant.ts';
import type { Sleep } from '../../sleep.ts';
import { plural } from '../count-text.ts';
import { addLost, type LostPolls, type PollBounds, PollBuffer, type PollPortion } from './poll-buffer.ts';

export interface PollKeeperDeps {
  /**
   * Writes one poll to Postgres. Resolves to the number of values written. The same poll may be written
   * again.
   */
  readonly write: (poll: PollPortion) => Promise<number>;
  /** Keeps a reject for polls that were dropped. */
  readonly noteLost: (lost: LostPolls) => Promise<void>;
  readonly bounds: PollBounds;
  readonly log: Logger;
  /** Called with the number of values that are lost, as soon as they are lost. */
  readonly countLost?: (values: number) => void;
  /** Resolves after some milliseconds, or at once when the signal aborts. */
  readonly sleep: Sleep;
  /**
   * Milliseconds after which a Postgres that has not answered counts as away. Shorter than the period of the
   * polls.
   */
  readonly patienceMs: number;
}

/** What became of a poll: written, or in memory until Postgres takes it. */
export type Kept =
  | { readonly written: number }
  | {
      /** Polls that wait in memory. */
      readonly waiting: number;
      /** Polls that were dropped in this outage so far. */
      readonly dropped: LostPolls | undefined;
      readonly reason: string;
    };

/** Milliseconds between two attempts to reach a Postgres that is away. */
const RETRY_MS = 1_000;
/** Longest wait for Postgres at the end of the process. */
const LAST_ATTEMPT_MS = 5_000;

/**
 * Brings polls to Postgres in their order. While Postgres is away, polls wait in memory and `keep` does not
 * wait for Postgres. A poll has no history to be read from again, so a poll that does not fit into memory is
 * lost. Lost polls are counted, logged, and kept as rejects.
 *
 *            values come              Postgres fails, or is silent
 *   ┌──────┐ ────────────► ┌─────────┐ ──────────────────────────► ┌───────────────────────────┐
 *   │ idle │               │ writing │                             │ away: polls wait.         │
 *   └──────┘ ◄──────────── └─────────┘ ◄────────────────────────── │ A write is tried each     │
 *              none waits                   Postgres answers       │ second. If memory is full │
 *                                                                  │ the oldest values go.     │
 *                                                                  └───────────────────────────┘
 *
 * Silence after `awaitAnswer` leads from idle to away, too. `close` makes one last attempt. The polls
 * that still wait after that are lost.
 */
export class PollKeeper {
  readonly #deps: PollKeeperDeps;
  readonly #buffer: PollBuffer;
  readonly #closing = new AbortController();
  /** Callers that wait for the outcome of their poll, by its number. */
  readonly #hearers = new Map<number, Hearer>();
  #writing: Promise<void> | undefined;
  #isUnderWay = false;
  /** Why Postgres takes no polls. Undefined while it takes polls. */
  #away: string | undefined;
  /** Polls that were dropped: those that the ledger does not know yet, and those that no run has told yet. */
  #dropped: LostPolls | undefined;
  #noted: LostPolls | undefined;

  constructor(parts: PollKeeperDeps) {
    this.#deps = parts;
    this.#buffer = new PollBuffer(parts.bounds);
  }

  /** True while Postgres takes no polls. Any other request to it would only take time. */
  get isAway(): boolean {
    return this.#away !== undefined;
  }

  /** Polls that are in memory only, and the number of their values. */
  get waiting(): { readonly polls: number; readonly values: number } {
    return { polls: this.#buffer.polls, values: this.#buffer.values };
  }

  /**
   * Keeps a poll. Resolves when the poll is written, or has to wait. Rejects if Postgres refuses the values
   * themselves, because no later attempt would succeed.
   */
  async keep(poll: PollPortion): Promise<Kept> {
    const { id, dropped } = this.#buffer.add(poll, { sparesOldest: this.#isUnderWay });
    if (dropped !== undefined) this.#noteDropped(dropped);
    const outcome = new Promise<Kept>((hear, fail) => this.#hearers.set(id, { hear, fail }));
    // Waiting polls come from many runs, and stay right whatever became of these runs. So no fence stops
    // them.
    this.#writing ??= withFence(undefined, () => this.#writeAll()).finally(() => {
      this.#writing = undefined;
    });
    if (this.#away !== undefined) this.#tellWaiting(this.#away);
    return (await this.#awaitInTime(outcome)) ?? outcome;
  }

  /**
   * Asks Postgres for something. Returns undefined if no answer comes in time; Postgres counts as away then.
   * `onLate` gets an answer that comes later.
   */
  async awaitAnswer<T>(ask: () => Promise<T>, onLate?: (answer: T) => unknown): Promise<T | undefined> {
    const asked = ask();
    const answer = await this.#awaitInTime(asked);
    if (answer === undefined)
      this.#takeLate(asked, onLate).catch((error: unknown) =>
        this.#deps.log.debug(reasonOf(error), 'PostgreSQL went away again'),
      );
    return answer;
  }

  async #takeLate<T>(asked: Promise<T>, onLate?: (answer: T) => unknown): Promise<void> {
    const answer = await asked;
    await onLate?.(answer);
    if (this.#buffer.polls === 0) await this.#beBack();
  }

  /**
   * Waits for an answer. If none comes in time, returns undefined and tells all waiting callers that Postgres
   * is away.
   */
  async #awaitInTime<T>(asked: Promise<T>): Promise<T | undefined> {
    const { patienceMs, sleep } = this.#deps;
    const heard = new AbortController();
    const silence = sleep(patienceMs, heard.signal).then(() => {
      if (!heard.signal.aborted)
        this.#beAway({
          reason: `PostgreSQL has not answered for ${patienceMs / 1000} s`,
          code: 'postgres.unreachable',
        });
      return undefined;
    });
    try {
      return await Promise.race([asked, silence]);
    } finally {
      heard.abort();
    }
  }

  /** Returns the polls that were dropped in outages that are over. Each loss is returned once. */
  takeLoss(): LostPolls | undefined {
    const noted = this.#noted;
    this.#noted = undefined;
    return noted;
  }

  /** Tries once more to write the waiting polls, and logs how many of them are lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    const ended = new AbortController();
    if (this.#writing !== undefined)
      await Promise.race([this.#writing, this.#deps.sleep(LAST_ATTEMPT_MS, ended.signal)]);
    ended.abort();
    const lost = addLost(this.#buffer.clear(), this.#dropped);
    if (lost !== undefined)
      this.#deps.log.error(
        { code: POLLS_DROPPED },
        `${describeLost(lost, 'lost')}: PostgreSQL was away until the end`,
      );
  }

  /**
   * Writes the waiting polls, oldest first. Repeats failed attempts until all are written, or until `close`.
   */
  async #writeAll(): Promise<void> {
    for (let next = this.#buffer.first(); next !== undefined; next = this.#buffer.first()) {
      const isLastAttempt = this.#closing.signal.aborted;
      this.#isUnderWay = true;
      try {
        const written = await this.#deps.write(next.poll);
        await this.#beBack();
        this.#take(next.id)?.hear({ written });
      } catch (error) {
        if (isOutage(error)) {
          this.#isUnderWay = false;
          this.#beAway(reasonOf(error));
          if (isLastAttempt) return;
          await this.#deps.sleep(RETRY_MS, this.#closing.signal);
        } else this.#refuse(next.id, error);
      }
      this.#isUnderWay = false;
    }
  }

  /** Removes the oldest portion. Returns its waiting caller, if there still is one. */
  #take(id: number): Hearer | undefined {
    this.#buffer.removeFirst();
    const hearer = this.#hearers.get(id);
    this.#hearers.delete(id);
    return hearer;
  }

  #refuse(id: number, error: unknown): void {
    const hearer = this.#take(id);
    if (hearer !== undefined) hearer.fail(error);
    else {
      const { reason, code } = reasonOf(error);
      this.#deps.log.error({ code }, `a poll that had waited was refused by PostgreSQL: ${reason}`);
    }
  }

  #beAway({ reason, code }: ReturnType<typeof reasonOf>): void {
    if (this.#away === undefined)
      this.#deps.log.warn({ reason, code }, 'PostgreSQL takes no polls: they wait in memory until it does');
    this.#away = reason;
    this.#tellWaiting(reason);
  }

  async #beBack(): Promise<void> {
    await this.#noteLosses();
    if (this.#away === undefined) return;
    this.#away = undefined;
    this.#deps.log.info(
      { polls: this.#buffer.polls },
      'PostgreSQL takes polls again: those that waited are written',
    );
  }

  /** Notes what was dropped. More may be dropped meanwhile, which is noted later. */
  async #noteLosses(): Promise<void> {
    const dropped = this.#dropped;
    if (dropped === undefined) return;
    this.#dropped = undefined;
    this.#buffer.noteLosses();
    try {
      await this.#deps.noteLost(dropped);
    } catch (error) {
      this.#dropped = addLost(this.#dropped, dropped);
      throw error;
    }
    this.#deps.log.error(
      { code: POLLS_DROPPED },
      `${describeLost(dropped, 'dropped')} while PostgreSQL was away`,
    );
    this.#noted = addLost(this.#noted, dropped);
  }

  #noteDropped(lost: LostPolls): void {
    this.#deps.countLost?.(lost.values);
    if (this.#dropped === undefined)
      this.#deps.log.error(
        { code: POLLS_DROPPED },
        'the memory for polls is full (limits.pollBufferValues, pollBufferBytes): the oldest are dropped',
      );
    this.#dropped = addLost(this.#dropped, lost);
    this.#tellWaiting('the memory for polls is full');
  }

  #tellWaiting(reason: string): void {
    if (this.#hearers.size === 0) return;
    const kept: Kept = { waiting: this.#buffer.polls, dropped: this.#dropped, reason };
    for (const { hear } of this.#hearers.values()) hear(kept);
    this.#hearers.clear();
  }
}

const POLLS_DROPPED: ErrorCode = 'sync.polls_dropped';

interface Hearer {
  readonly hear: (kept: Kept) => void;
  readonly fail: (error: unknown) => void;
}

const ENDS = { lost: ['is lost', 'are lost'], dropped: ['was dropped', 'were dropped'] } as const;

/** Says of lost polls how many values they had, how many they were, their range, and how they ended. */
export function describeLost({ polls, values, from, to }: LostPolls, end: keyof typeof ENDS): string {
  const what = `${plural(values, 'polled value')} of ${plural(polls, 'poll')}`;
  return `${what} (${formatInstant(from)} to ${formatInstant(to)}) ${ENDS[end][values === 1 ? 0 : 1]}`;
}

/** Tells whether Postgres failed, and not the data. Postgres would refuse bad data for ever. */
function isOutage(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'postgres.refused_value';
}

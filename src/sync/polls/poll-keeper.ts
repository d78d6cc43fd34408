import { type ErrorCode, reasonOf, StoreError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { withFence } from '../../postgres/fence.ts';
import { formatInstant } from '../../series/instant.ts';
import type { Sleep } from '../../sleep.ts';
import { addLost, type KeptPoll, type LostPolls, type PollBounds, PollBuffer } from './poll-buffer.ts';

export interface PollKeeperDeps {
  /** Writes one poll to Postgres; resolves to the number of values written. It may be repeated. */
  readonly write: (poll: KeptPoll) => Promise<number>;
  /** Keeps in the ledger that polls were dropped. */
  readonly noteLost: (lost: LostPolls) => Promise<void>;
  readonly bounds: PollBounds;
  readonly log: Logger;
  /** Hears of values that are lost, as soon as they are. */
  readonly countLost?: (values: number) => void;
  /** Resolves after so many milliseconds, or at once when the signal says so. */
  readonly sleep: Sleep;
  /** A Postgres that has not answered after this time counts as away: shorter than the period of the polls. */
  readonly patienceMs: number;
}

/** What became of a poll: written, or in memory until Postgres takes it. */
export type Kept =
  | { readonly written: number }
  | {
      /** Polls that wait. */
      readonly waiting: number;
      /** Dropped in this outage so far. */
      readonly dropped: LostPolls | undefined;
      readonly reason: string;
    };

/** Between two attempts to reach a Postgres that is away. */
const RETRY_MS = 1_000;
/** Longest wait for a Postgres at the end. */
const LAST_ATTEMPT_MS = 5_000;

/**
 * Brings polls to Postgres in their order. While Postgres is away they wait in memory, bounded, and are written as soon as it is back; a
 * poll then does not wait for it. A value has no history to be read again from, so what does not fit is lost: counted, logged, and kept
 * among the rejects.
 */
export class PollKeeper {
  readonly #deps: PollKeeperDeps;
  readonly #buffer: PollBuffer;
  readonly #closing = new AbortController();
  /** Those who wait to hear of their poll, by its number. */
  readonly #hearers = new Map<number, Hearer>();
  #writing: Promise<void> | undefined;
  #isUnderWay = false;
  /** Why Postgres takes nothing, while it does not. */
  #away: string | undefined;
  /** Dropped, and not yet in the ledger; and in the ledger, and not yet told. */
  #dropped: LostPolls | undefined;
  #noted: LostPolls | undefined;

  constructor(parts: PollKeeperDeps) {
    this.#deps = parts;
    this.#buffer = new PollBuffer(parts.bounds);
  }

  /** True while Postgres takes nothing: to ask it for something else would only take time. */
  get isAway(): boolean {
    return this.#away !== undefined;
  }

  /** Polls, and the values in them, that are in memory only. */
  get waiting(): { readonly polls: number; readonly values: number } {
    return { polls: this.#buffer.polls, values: this.#buffer.values };
  }

  /** Rejects where Postgres refuses the values themselves: no later attempt would succeed. */
  async keep(poll: KeptPoll): Promise<Kept> {
    const { id, dropped } = this.#buffer.add(poll, { sparesOldest: this.#isUnderWay });
    if (dropped !== undefined) this.#noteDropped(dropped);
    const outcome = new Promise<Kept>((hear, fail) => this.#hearers.set(id, { hear, fail }));
    // Polls that wait are of many runs, and right whatever became of those.
    this.#writing ??= withFence(undefined, () => this.#writeAll()).finally(() => {
      this.#writing = undefined;
    });
    if (this.#away !== undefined) this.#tellWaiting(this.#away);
    return (await this.#awaitInTime(outcome)) ?? outcome;
  }

  /** What Postgres answers in time; undefined if it does not, which then counts as away. `onLate` gets an answer that comes later. */
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
    await onLate?.(await asked);
    if (this.#buffer.polls === 0) await this.#beBack();
  }

  /** Silence tells all who wait that Postgres is away. */
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

  /** What was dropped in an outage that is over, once. */
  takeLoss(): LostPolls | undefined {
    const noted = this.#noted;
    this.#noted = undefined;
    return noted;
  }

  /** Tries once more to write what waits, and says how much of it is lost. */
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
        `${describeLost(lost)} are lost: PostgreSQL was away until the end`,
      );
  }

  /** Writes what waits, oldest first, and tries again until all is written or it is closed. */
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

  /** The hearer of the oldest poll, which is done with. */
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
    if (this.#dropped !== undefined) {
      await this.#deps.noteLost(this.#dropped);
      this.#deps.log.error(
        { code: POLLS_DROPPED },
        `${describeLost(this.#dropped)} were dropped while PostgreSQL was away`,
      );
      this.#noted = addLost(this.#noted, this.#dropped);
      this.#dropped = undefined;
    }
    if (this.#away === undefined) return;
    this.#away = undefined;
    this.#deps.log.info(
      { polls: this.#buffer.polls },
      'PostgreSQL takes polls again: those that waited are written',
    );
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
    for (const { hear } of this.#hearers.values())
      hear({ waiting: this.#buffer.polls, dropped: this.#dropped, reason });
    this.#hearers.clear();
  }
}

const POLLS_DROPPED: ErrorCode = 'sync.polls_dropped';

interface Hearer {
  readonly hear: (kept: Kept) => void;
  readonly fail: (error: unknown) => void;
}

/** In words; lost polls cannot be had again. */
export function describeLost({ polls, values, from, to }: LostPolls): string {
  return `${values} polled values of ${polls} polls (${formatInstant(from)} to ${formatInstant(to)})`;
}

/** Whether it is Postgres that is at fault, or what it was given: then it would refuse it for ever. */
function isOutage(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'postgres.refused_value';
}

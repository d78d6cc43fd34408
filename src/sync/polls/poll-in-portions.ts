import { describeError } from '../../errors.ts';
import type { MissingValue, PolledBatch, PolledValue } from '../../extract/current-reader.ts';
import { createTyper } from '../../normalize/normalize-points.ts';
import { confirmFence } from '../../postgres/fence.ts';
import { type SeriesPoints, seriesName } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { plural } from '../count-text.ts';
import { addPoints, type RunSummary } from '../run-summary.ts';
import { describeLost, type Kept } from './poll-keeper.ts';

/** Values that are kept at once. */
const VALUES_AT_ONCE = 5_000;
/** Microseconds that a stated time may be ahead of the platform's clock. */
const FUTURE_US = 60e6;

/** What keeping a poll needs of the context. */
export interface KeepingContext extends Pick<SyncContext, 'polls' | 'parseInstant' | 'polledBefore'> {
  readonly postgresStore: Pick<SyncContext['postgresStore'], 'kind'>;
  readonly platform: Pick<SyncContext['platform'], 'clockSkewMs'>;
}

/** The series of one object that a poll could not read for one reason. */
interface Lack {
  readonly first: MissingValue;
  count: number;
}

/**
 * Keeps the values of one poll in portions, and tells the summary of its run what became of them. So a poll
 * is never in memory as a whole, and Postgres writes while the platform answers.
 */
export class PollInPortions {
  readonly #ctx: KeepingContext;
  readonly #summary: RunSummary;
  /** Numbers of the series of which only changes are stored. */
  readonly #sparing: ReadonlySet<number>;
  readonly #lacks = new Map<string, Lack>();
  #points: SeriesPoints[] = [];
  #repeats: SeriesPoints[] = [];
  #hasKept = false;
  /** What became of the newest portion that Postgres did not take at once. */
  #waiting: Exclude<Kept, { written: number }> | undefined;
  /** Why Postgres refused the values of portions. */
  readonly #refusals: unknown[] = [];

  constructor(ctx: KeepingContext, summary: RunSummary, sparing: ReadonlySet<number>) {
    this.#ctx = ctx;
    this.#summary = summary;
    this.#sparing = sparing;
  }

  /**
   * Keeps all values. If the platform ends the poll, what it has told is kept. Throws the first failure, and
   * adds the others to the problems.
   */
  async keepAll(batches: AsyncIterable<PolledBatch>): Promise<void> {
    const failures: unknown[] = [];
    try {
      for await (const batch of batches) await this.#add(batch);
      this.#tellLacks();
    } catch (error) {
      failures.push(error);
    }
    // A poll without any value is kept too: it finds out whether Postgres is back.
    const isLeft = this.#points.length + this.#repeats.length > 0;
    if (isLeft || (failures.length === 0 && !this.#hasKept))
      await this.#keep().catch((error: unknown) => void failures.push(error));
    this.#tellLosses();
    const [first, ...others] = [...failures, ...this.#refusals];
    this.#summary.problems.push(...others.map(describeError));
    if (first !== undefined) throw first;
  }

  async #add({ values, missing }: PolledBatch): Promise<void> {
    this.#summary.records += values.length;
    for (const each of missing) this.#addLack(each);
    for (const value of values) {
      const { id } = value.series;
      const isRepeat = this.#sparing.has(id) && this.#ctx.polledBefore.has(id);
      (isRepeat ? this.#repeats : this.#points).push(this.#pointOf(value));
    }
    if (this.#points.length + this.#repeats.length >= VALUES_AT_ONCE) await this.#keep();
  }

  #pointOf({ series, current, receivedAt }: PolledValue): SeriesPoints {
    const { value, text, quality } = createTyper(series.primitiveType)(current.value);
    const time = this.#timeOf(current.time, receivedAt);
    return { series, times: [time], values: [value], texts: [text], qualities: [quality] };
  }

  /**
   * Returns the time that the reply states, or else the time of receipt. A time in the future would hide all
   * later polls, so it is not taken.
   */
  #timeOf(stated: unknown, receivedAt: number): number {
    if (stated === undefined || stated === null) return receivedAt;
    const { parseInstant, platform } = this.#ctx;
    const time = parseInstant(stated);
    const latest = receivedAt + Math.max(0, platform.clockSkewMs() ?? 0) * 1000 + FUTURE_US;
    return time <= latest ? time : receivedAt;
  }

  async #keep(): Promise<void> {
    const portion = { run: this.#summary, points: this.#points, repeats: this.#repeats };
    this.#points = [];
    this.#repeats = [];
    // A process that stood still does not know when it got its values.
    await confirmFence();
    const { polls, polledBefore, postgresStore } = this.#ctx;
    for (const { series } of portion.points) if (this.#sparing.has(series.id)) polledBefore.add(series.id);
    this.#hasKept = true;
    try {
      const kept = await polls.keep(portion);
      if ('written' in kept) addPoints(this.#summary, postgresStore, kept.written);
      else this.#waiting = kept;
    } catch (error) {
      // The other portions are not to blame.
      this.#refusals.push(error);
    }
  }

  #addLack(missing: MissingValue): void {
    const key = `${missing.series.object}\n${missing.reason}`;
    const lack = this.#lacks.get(key) ?? { first: missing, count: 0 };
    lack.count += 1;
    this.#lacks.set(key, lack);
  }

  /** Adds a problem for each object that cannot be read, not one for each of its properties. */
  #tellLacks(): void {
    for (const { first, count } of this.#lacks.values()) {
      const { series, reason } = first;
      const what = count === 1 ? seriesName(series) : `${count} properties of ${series.object}`;
      this.#summary.problems.push(`${what} cannot be read: ${reason}`);
    }
  }

  /** Tells what waits in memory, and what was lost in outages that are over. */
  #tellLosses(): void {
    const { problems, notes } = this.#summary;
    const { polls } = this.#ctx;
    if (this.#waiting !== undefined && !polls.isAway)
      notes.push('PostgreSQL was late for some values; it takes polls again, and first those that waited');
    else if (this.#waiting !== undefined) {
      const { reason, waiting, dropped } = this.#waiting;
      const loss = dropped === undefined ? '' : `; ${describeLost(dropped, 'dropped')}`;
      problems.push(`${reason}; ${plural(waiting, 'poll waits', 'polls wait')} in memory${loss}`);
    }
    const lost = polls.takeLoss();
    if (lost !== undefined)
      problems.push(
        `${describeLost(lost, 'lost')}: PostgreSQL was away for longer than the memory for polls lasts (limits.pollBufferValues, pollBufferBytes)`,
      );
  }
}

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
  readonly #ctx: SyncContext;
  readonly #summary: RunSummary;
  /** Numbers of the series of which only changes are stored. */
  readonly #sparing: ReadonlySet<number>;
  readonly #lacks = new Map<string, Lack>();
  #points: SeriesPoints[] = [];
  #repeats: SeriesPoints[] = [];
  /** What became of the newest portion that Postgres did not take at once. */
  #waiting: Exclude<Kept, { written: number }> | undefined;
  /** Why Postgres refused the values of a portion. */
  #refusal: { readonly reason: unknown } | undefined;

  constructor(ctx: SyncContext, summary: RunSummary, sparing: ReadonlySet<number>) {
    this.#ctx = ctx;
    this.#summary = summary;
    this.#sparing = sparing;
  }

  async add({ values, missing, receivedAt }: PolledBatch): Promise<void> {
    this.#summary.records += values.length;
    for (const each of missing) this.#addLack(each);
    for (const value of values) this.#addValue(value, receivedAt);
    if (this.#points.length + this.#repeats.length >= VALUES_AT_ONCE) await this.#keep();
  }

  /** Keeps what is left. Throws what Postgres refused. */
  async end(): Promise<void> {
    await this.#keep();
    this.#tell();
    if (this.#refusal !== undefined) throw this.#refusal.reason;
  }

  /** The first value that this process sees is stored in any case. Later ones may be repeats. */
  #addValue(value: PolledValue, receivedAt: number): void {
    const { id } = value.series;
    const { polledBefore } = this.#ctx;
    const isSparing = this.#sparing.has(id);
    (isSparing && polledBefore.has(id) ? this.#repeats : this.#points).push(this.#pointOf(value, receivedAt));
    if (isSparing) polledBefore.add(id);
  }

  #pointOf({ series, current }: PolledValue, receivedAt: number): SeriesPoints {
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
    const { polls, postgresStore } = this.#ctx;
    const portion = { run: this.#summary, points: this.#points, repeats: this.#repeats };
    if (portion.points.length + portion.repeats.length === 0) return;
    this.#points = [];
    this.#repeats = [];
    // A process that stood still does not know when it got its values.
    await confirmFence();
    try {
      const kept = await polls.keep(portion);
      if ('written' in kept) addPoints(this.#summary, postgresStore, kept.written);
      else this.#waiting = kept;
    } catch (reason) {
      // The other portions are not to blame.
      this.#refusal ??= { reason };
    }
  }

  #addLack(missing: MissingValue): void {
    const key = `${missing.series.object}\n${missing.reason}`;
    const lack = this.#lacks.get(key) ?? { first: missing, count: 0 };
    lack.count += 1;
    this.#lacks.set(key, lack);
  }

  /** Adds what is missing to the problems: one for each object that cannot be read, not for each property. */
  #tell(): void {
    const { problems } = this.#summary;
    for (const { first, count } of this.#lacks.values()) {
      const { series, reason } = first;
      const what = count === 1 ? seriesName(series) : `${count} properties of ${series.object}`;
      problems.push(`${what} cannot be read: ${reason}`);
    }
    if (this.#waiting !== undefined) {
      const { reason, waiting, dropped } = this.#waiting;
      const loss = dropped === undefined ? '' : `; ${describeLost(dropped, 'dropped')}`;
      problems.push(`${reason}; ${plural(waiting, 'poll waits', 'polls wait')} in memory${loss}`);
    }
    const lost = this.#ctx.polls.takeLoss();
    if (lost !== undefined)
      problems.push(
        `${describeLost(lost, 'lost')}: PostgreSQL was away for longer than the memory for polls lasts (limits.pollBufferValues, pollBufferBytes)`,
      );
  }
}

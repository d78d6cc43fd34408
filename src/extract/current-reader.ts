import { pMapIterable } from 'p-map';
import { messageOf, PlatformError } from '../errors.ts';
import { followSignal } from '../follow-signal.ts';
import type { CurrentReply, CurrentValue, Platform } from '../platform/platform.ts';
import { isNestedTooDeeply, MAX_LEVELS } from '../series/nesting.ts';
import { type Series, seriesName } from '../series/types.ts';
import { Cooldown } from './cooldown.ts';

/** Number of properties that one request asks for. */
export const NAMES_PER_REQUEST = 200;
/** The least number of requests that are made, or wait for their turn, ahead of the values that are used. */
const REQUESTS_AHEAD = 50;

/** One value of a poll. */
export interface PolledValue {
  readonly series: Series;
  readonly current: CurrentValue;
  /** When the reply came, in epoch microseconds. */
  readonly receivedAt: number;
}

/** What one request of a poll gave. */
export interface PolledBatch {
  readonly values: readonly PolledValue[];
  /** Series without a value, each with the reason. */
  readonly missing: readonly MissingValue[];
}

export interface MissingValue {
  readonly series: Series;
  readonly reason: string;
}

/** The platform that a poll is read from, the signal that ends it, and its clock. */
export interface PollSource {
  readonly platform: Platform;
  readonly signal: AbortSignal;
  /** Epoch microseconds, by which values are dated. */
  readonly clock: () => number;
}

interface OpenBatch {
  readonly values: PolledValue[];
  readonly missing: MissingValue[];
  readonly source: PollSource;
  /** The first failure that did not concern one object only. */
  failure?: PlatformError;
}

/**
 * Reads current values (specification: Runtime, properties/current). One object that the platform does not
 * find makes a whole request fail. So such an object is set aside: the others are read without it, and it is
 * asked for alone every ten minutes. A batch that fails for another reason is missing from this poll only.
 */
export class CurrentReader {
  readonly #objectsAside: Cooldown<string>;
  readonly #requestsAhead: number;

  /**
   * `clock` returns epoch milliseconds. The platform lets at most `maxConcurrency` requests be under way.
   */
  constructor({ clock, maxConcurrency }: { clock: () => number; maxConcurrency: number }) {
    this.#objectsAside = new Cooldown(clock);
    this.#requestsAhead = Math.max(REQUESTS_AHEAD, maxConcurrency);
  }

  /**
   * Reads the current value of each series, and passes on what each request gives, in any order. Throws a
   * failure that every other request would meet as well, and begins no other request then. If no series gets
   * a value, throws the first failure that did not concern one object only.
   */
  async *read(asked: PollSource, series: readonly Series[]): AsyncGenerator<PolledBatch> {
    const { batches, resting } = this.#divideByCooldown(series);
    if (resting.length > 0) yield { values: [], missing: resting };
    const { controller, stop } = followSignal(asked.signal);
    const source = { ...asked, signal: controller.signal };
    /** What every other request would meet as well. */
    let fatal: { readonly reason: unknown } | undefined;
    let failure: PlatformError | undefined;
    let hasValues = false;
    const read = async (batch: readonly Series[]): Promise<OpenBatch> => {
      const open: OpenBatch = { values: [], missing: [], source };
      if (fatal === undefined)
        await this.#readBatch(batch, open).catch((reason: unknown) => {
          fatal ??= { reason };
        });
      return open;
    };
    const how = { concurrency: this.#requestsAhead, preserveOrder: false };
    try {
      for await (const batch of pMapIterable(batches, read, how)) {
        failure ??= batch.failure;
        hasValues ||= batch.values.length > 0;
        yield batch;
      }
    } finally {
      stop();
      // Requests may be under way if the caller takes no more.
      controller.abort();
    }
    if (fatal !== undefined) throw fatal.reason;
    if (!hasValues && failure !== undefined) throw failure;
  }

  /** Divides series into requests. An object that was not found is asked for alone, or rests. */
  #divideByCooldown(series: readonly Series[]): { batches: Series[][]; resting: MissingValue[] } {
    const usual: Series[] = [];
    const resting: MissingValue[] = [];
    const alone = new Map<string, Series[]>();
    for (const each of series) {
      const reason = this.#objectsAside.reasonOf(each.object);
      if (reason === undefined) usual.push(each);
      else if (this.#objectsAside.rests(each.object)) resting.push({ series: each, reason });
      else alone.set(each.object, [...(alone.get(each.object) ?? []), each]);
    }
    const batches = [...alone.values()];
    for (let k = 0; k < usual.length; k += NAMES_PER_REQUEST)
      batches.push(usual.slice(k, k + NAMES_PER_REQUEST));
    return { batches, resting };
  }

  /** Reads one batch. Rejects only if every other request would fail alike. */
  async #readBatch(batch: readonly Series[], open: OpenBatch): Promise<void> {
    try {
      await this.#ask(batch, open);
    } catch (error) {
      if (isFatal(error) || !(error instanceof PlatformError)) throw error;
      const divisible =
        error.kind === 'missing' || (error.kind === 'failed' && (await answersSomewhere(batch, open.source)));
      if (divisible) return this.#divide(batch, error, open);
      open.failure ??= error;
      for (const series of batch) open.missing.push({ series, reason: messageOf(error) });
    }
  }

  async #ask(batch: readonly Series[], open: OpenBatch): Promise<void> {
    const reply = await readCurrent(batch, open.source);
    const receivedAt = open.source.clock();
    if (reply.values.size === 0) throw nothingTold();
    const lack = reply.complains
      ? 'the reply has no value of this property, and a message that reports no success'
      : 'the reply does not mention this property';
    for (const series of batch) {
      this.#objectsAside.take(series.object);
      const current = reply.values.get(seriesName(series));
      if (isNestedTooDeeply(current?.value))
        open.missing.push({ series, reason: `its value is nested deeper than ${MAX_LEVELS} levels` });
      else if (current !== undefined) open.values.push({ series, current, receivedAt });
      else open.missing.push({ series, reason: lack });
    }
  }

  /** Splits a refused batch by objects. An object that is alone in its batch is set aside. */
  async #divide(batch: readonly Series[], error: PlatformError, open: OpenBatch): Promise<void> {
    const objects = [...new Set(batch.map((series) => series.object))];
    if (objects.length === 1) {
      for (const object of objects) this.#objectsAside.put(object, error.message);
      for (const series of batch) open.missing.push({ series, reason: error.message });
      return;
    }
    // The message names the object, so one step usually frees the others.
    const named = objects.filter((object) => object.length > 1 && error.message.includes(object));
    const useful = named.length > 0 && named.length < objects.length;
    const first = new Set(useful ? named : objects.slice(0, Math.ceil(objects.length / 2)));
    await this.#readBatch(
      batch.filter((series) => first.has(series.object)),
      open,
    );
    await this.#readBatch(
      batch.filter((series) => !first.has(series.object)),
      open,
    );
  }
}

/**
 * Makes the error for a reply without any value. By the specification a property that does not exist is null,
 * so such a reply answers nothing.
 */
export function nothingTold(): PlatformError {
  return new PlatformError(
    'platform.no_values',
    'readCurrent failed: the reply has none of the values that were asked for',
    {
      kind: 'malformed',
      action: 'skip',
      operation: 'readCurrent',
    },
  );
}

/**
 * Returns true if the first or the last series of a failed batch can be read alone. "Operation failed" may
 * concern one object or everything; these two tell which.
 */
async function answersSomewhere(batch: readonly Series[], source: PollSource): Promise<boolean> {
  const ends = [...new Set([batch[0], batch.at(-1)])].filter((each) => each !== undefined);
  if (ends.length < 2) return false;
  for (const each of ends)
    try {
      await readCurrent([each], source);
      return true;
    } catch (error) {
      if (isFatal(error)) throw error;
    }
  return false;
}

function readCurrent(batch: readonly Series[], { platform, signal }: PollSource): Promise<CurrentReply> {
  return platform.readCurrent(batch.map(seriesName), { signal });
}

/** Returns true if every other request would fail alike. */
function isFatal(error: unknown): boolean {
  return !(error instanceof PlatformError) || error.kind === 'auth' || error.unreachable;
}

import { PlatformError } from '../errors.ts';
import type { CurrentValue, Platform } from '../platform/platform.ts';
import { type Series, seriesName } from '../series/types.ts';

/** Properties asked for in one request. */
const BATCH = 200;
/** An object that the platform did not find is asked for again after this time, alone. */
const ASK_AGAIN_MS = 10 * 60_000;

/** One value of a poll. */
export interface PolledValue {
  readonly series: Series;
  readonly current: CurrentValue;
}

export interface Poll {
  readonly values: PolledValue[];
  /** Series that could not be had, with the reason. */
  readonly missing: { readonly series: Series; readonly reason: string }[];
  readonly bytes: number;
}

/**
 * Reads current values (specification: Runtime, properties/current). One object that the platform does not find makes the
 * whole request fail, so such an object is set aside: the others are read without it, and it is asked for alone
 * every ten minutes.
 */
export class CurrentReader {
  readonly #platform: Platform;
  readonly #clock: () => number;
  /** Object → epoch milliseconds from which on it is asked for again, and the platform's words. */
  readonly #aside = new Map<string, { againMs: number; reason: string }>();

  /** @param clock epoch milliseconds */
  constructor(platform: Platform, clock: () => number) {
    this.#platform = platform;
    this.#clock = clock;
  }

  async read(series: readonly Series[], signal: AbortSignal): Promise<Poll> {
    const poll = { values: [] as PolledValue[], missing: [] as Poll['missing'], bytes: 0 };
    const now = this.#clock();
    const usual: Series[] = [];
    const again = new Map<string, Series[]>();
    for (const each of series) {
      const aside = this.#aside.get(each.object);
      if (aside === undefined) usual.push(each);
      else if (aside.againMs > now) poll.missing.push({ series: each, reason: aside.reason });
      else again.set(each.object, [...(again.get(each.object) ?? []), each]);
    }
    const batches = [...again.values()];
    for (let k = 0; k < usual.length; k += BATCH) batches.push(usual.slice(k, k + BATCH));
    await Promise.all(batches.map((batch) => this.#readBatch(batch, poll, signal)));
    return poll;
  }

  async #readBatch(
    batch: readonly Series[],
    poll: { values: PolledValue[]; missing: Poll['missing']; bytes: number },
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const reply = await this.#platform.readCurrent(batch.map(seriesName), { signal });
      poll.bytes += reply.bytes;
      for (const series of batch) {
        this.#aside.delete(series.object);
        const current = reply.values.get(seriesName(series));
        if (current !== undefined) poll.values.push({ series, current });
        else poll.missing.push({ series, reason: 'the reply does not mention it' });
      }
    } catch (error) {
      if (!(error instanceof PlatformError) || !(error.kind === 'missing' || error.kind === 'failed'))
        throw error;
      for (const part of this.#divide(batch, error, poll)) await this.#readBatch(part, poll, signal);
    }
  }

  /** Splits a refused batch by objects; one object alone is set aside. */
  #divide(batch: readonly Series[], error: PlatformError, poll: { missing: Poll['missing'] }): Series[][] {
    const objects = [...new Set(batch.map((series) => series.object))];
    if (objects.length === 1) {
      for (const object of objects)
        this.#aside.set(object, { againMs: this.#clock() + ASK_AGAIN_MS, reason: error.message });
      for (const series of batch) poll.missing.push({ series, reason: error.message });
      return [];
    }
    // The message names the object, so it usually takes one step to free the others.
    const named = objects.filter((object) => object.length > 1 && error.message.includes(object));
    const first = new Set(
      named.length > 0 && named.length < objects.length
        ? named
        : objects.slice(0, Math.ceil(objects.length / 2)),
    );
    return [
      batch.filter((series) => first.has(series.object)),
      batch.filter((series) => !first.has(series.object)),
    ];
  }
}

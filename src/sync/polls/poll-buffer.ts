import type { Quality, Series, SeriesPoints } from '../../series/types.ts';

/** The values of one poll: one value, at one instant, for each series. */
export interface KeptPoll {
  readonly points: readonly SeriesPoints[];
  /** Values that are stored only if they differ from the newest stored value. */
  readonly repeats: readonly SeriesPoints[];
}

/** Polls that were dropped. Times are epoch microseconds. */
export interface LostPolls {
  readonly polls: number;
  readonly values: number;
  readonly from: number;
  readonly to: number;
}

export interface PollBounds {
  readonly maxValues: number;
  readonly maxBytes: number;
}

/** Bytes of a value without its text, and of a character. */
const VALUE_BYTES = 48;
const CHARACTER_BYTES = 2;

/** A poll in columns, since an object for each value would take ten times the memory. */
interface PackedPoll {
  readonly id: number;
  readonly series: readonly Series[];
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  readonly texts: readonly (string | null)[];
  readonly qualities: readonly Quality[];
  /** Number of values, at the end of the columns, that are repeats. */
  readonly repeats: number;
  readonly bytes: number;
}

/**
 * Polls in the order in which they came, bounded in values and bytes. Beyond these bounds the oldest polls
 * are dropped. The newest poll is always kept.
 */
export class PollBuffer {
  readonly #bounds: PollBounds;
  readonly #polls: PackedPoll[] = [];
  #values = 0;
  #bytes = 0;
  #lastId = 0;

  constructor(bounds: PollBounds) {
    this.#bounds = bounds;
  }

  get polls(): number {
    return this.#polls.length;
  }

  get values(): number {
    return this.#values;
  }

  /**
   * Adds a poll under a number of its own. Returns this number, and the polls that were dropped to make room.
   * The oldest poll is spared while it is being written.
   */
  add(
    poll: KeptPoll,
    { sparesOldest }: { sparesOldest: boolean },
  ): { id: number; dropped: LostPolls | undefined } {
    this.#lastId += 1;
    const packed = { id: this.#lastId, ...pack(poll) };
    this.#polls.push(packed);
    this.#count(packed, 1);
    const spared = sparesOldest ? 1 : 0;
    let excess = 0;
    let [values, bytes] = [this.#values, this.#bytes];
    while (
      (values > this.#bounds.maxValues || bytes > this.#bounds.maxBytes) &&
      spared + excess < this.#polls.length - 1
    ) {
      const oldest = this.#polls[spared + excess] as PackedPoll;
      values -= oldest.series.length;
      bytes -= oldest.bytes;
      excess += 1;
    }
    return { id: packed.id, dropped: this.#remove(spared, excess) };
  }

  /** Returns the oldest poll, which stays until it is removed. Returns undefined if there is none. */
  first(): { id: number; poll: KeptPoll } | undefined {
    const packed = this.#polls[0];
    return packed && { id: packed.id, poll: unpack(packed) };
  }

  removeFirst(): void {
    this.#remove(0, 1);
  }

  /** Removes all polls, and returns them as lost. Returns undefined if there were none. */
  clear(): LostPolls | undefined {
    return this.#remove(0, this.#polls.length);
  }

  #remove(start: number, count: number): LostPolls | undefined {
    const removed = this.#polls.splice(start, count);
    for (const packed of removed) this.#count(packed, -1);
    return removed.length === 0 ? undefined : removed.map(describe).reduce((a, b) => addLost(a, b));
  }

  #count({ series, bytes }: PackedPoll, sign: 1 | -1): void {
    this.#values += sign * series.length;
    this.#bytes += sign * bytes;
  }
}

/** Adds up two losses. */
export function addLost(a: LostPolls, b: LostPolls): LostPolls;
export function addLost(a: LostPolls | undefined, b: LostPolls | undefined): LostPolls | undefined;
export function addLost(a: LostPolls | undefined, b: LostPolls | undefined): LostPolls | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    polls: a.polls + b.polls,
    values: a.values + b.values,
    from: Math.min(a.from, b.from),
    to: Math.max(a.to, b.to),
  };
}

function describe({ series, times }: PackedPoll): LostPolls {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  return { polls: 1, values: series.length, from, to };
}

function pack({ points, repeats }: KeptPoll): Omit<PackedPoll, 'id'> {
  const all = [...points, ...repeats];
  const texts = all.map((each) => each.texts[0] ?? null);
  return {
    series: all.map(({ series }) => series),
    times: all.map(({ times }) => times[0] ?? 0),
    values: all.map(({ values }) => values[0] ?? null),
    texts,
    qualities: all.map(({ qualities }) => qualities[0] ?? null),
    repeats: repeats.length,
    bytes: texts.reduce((sum, text) => sum + VALUE_BYTES + CHARACTER_BYTES * (text?.length ?? 0), 0),
  };
}

function unpack({ series, times, values, texts, qualities, repeats }: PackedPoll): KeptPoll {
  const all = series.map((each, k) => ({
    series: each,
    times: [times[k] as number],
    values: [values[k] ?? null],
    texts: [texts[k] ?? null],
    qualities: [qualities[k] ?? null],
  }));
  return { points: all.slice(0, all.length - repeats), repeats: all.slice(all.length - repeats) };
}

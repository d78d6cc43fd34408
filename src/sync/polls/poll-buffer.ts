import type { Quality, Series, SeriesPoints } from '../../series/types.ts';

/** Values of one poll, or of a portion of it: one value, at one instant, for each series. */
export interface PollPortion {
  /** The run that polls: the portions of one poll have the same. */
  readonly run: object;
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

/** A portion in columns, since an object for each value would take ten times the memory. */
interface PackedPortion {
  readonly id: number;
  readonly run: object;
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
 * Portions of polls in the order in which they came, bounded in values and bytes. Beyond these bounds the
 * oldest are dropped. The newest portion is always kept.
 */
export class PollBuffer {
  readonly #bounds: PollBounds;
  readonly #portions: PackedPortion[] = [];
  /** The runs that lost a portion since losses were noted. */
  #losers = new WeakSet<object>();
  #values = 0;
  #bytes = 0;
  #lastId = 0;

  constructor(bounds: PollBounds) {
    this.#bounds = bounds;
  }

  /** Number of polls of which a portion waits. */
  get polls(): number {
    return new Set(this.#portions.map(({ run }) => run)).size;
  }

  get values(): number {
    return this.#values;
  }

  /**
   * Adds a portion under a number of its own. Returns this number, and what was dropped to make room. The
   * oldest portion is spared while it is being written.
   */
  add(
    poll: PollPortion,
    { sparesOldest }: { sparesOldest: boolean },
  ): { id: number; dropped: LostPolls | undefined } {
    this.#lastId += 1;
    const packed = { id: this.#lastId, ...pack(poll) };
    this.#portions.push(packed);
    this.#count(packed, 1);
    const spared = sparesOldest ? 1 : 0;
    let excess = 0;
    let [values, bytes] = [this.#values, this.#bytes];
    while (
      (values > this.#bounds.maxValues || bytes > this.#bounds.maxBytes) &&
      spared + excess < this.#portions.length - 1
    ) {
      const oldest = this.#portions[spared + excess] as PackedPortion;
      values -= oldest.series.length;
      bytes -= oldest.bytes;
      excess += 1;
    }
    return { id: packed.id, dropped: this.#lose(spared, excess) };
  }

  /** Returns the oldest portion, which stays until it is removed. Returns undefined if there is none. */
  first(): { id: number; poll: PollPortion } | undefined {
    const packed = this.#portions[0];
    return packed && { id: packed.id, poll: unpack(packed) };
  }

  removeFirst(): void {
    this.#remove(0, 1);
  }

  /** Removes all portions, and returns them as lost. Returns undefined if there were none. */
  clear(): LostPolls | undefined {
    return this.#lose(0, this.#portions.length);
  }

  /** Counts a poll again that loses another portion from now on. */
  noteLosses(): void {
    this.#losers = new WeakSet();
  }

  #lose(start: number, count: number): LostPolls | undefined {
    let lost: LostPolls | undefined;
    for (const { run, times } of this.#remove(start, count)) {
      const polls = this.#losers.has(run) ? 0 : 1;
      this.#losers.add(run);
      lost = addLost(lost, { polls, values: times.length, ...rangeOf(times) });
    }
    return lost;
  }

  #remove(start: number, count: number): PackedPortion[] {
    const removed = this.#portions.splice(start, count);
    for (const packed of removed) this.#count(packed, -1);
    return removed;
  }

  #count({ series, bytes }: PackedPortion, sign: 1 | -1): void {
    this.#values += sign * series.length;
    this.#bytes += sign * bytes;
  }
}

/** Adds up two losses. */
export function addLost(a: LostPolls | undefined, b: LostPolls): LostPolls;
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

function rangeOf(times: readonly number[]): Pick<LostPolls, 'from' | 'to'> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) [from, to] = [Math.min(from, time), Math.max(to, time)];
  return { from, to };
}

function pack({ run, points, repeats }: PollPortion): Omit<PackedPortion, 'id'> {
  const all = [...points, ...repeats];
  const texts = all.map((each) => each.texts[0] ?? null);
  return {
    run,
    series: all.map(({ series }) => series),
    times: all.map(({ times }) => times[0] ?? 0),
    values: all.map(({ values }) => values[0] ?? null),
    texts,
    qualities: all.map(({ qualities }) => qualities[0] ?? null),
    repeats: repeats.length,
    bytes: texts.reduce((sum, text) => sum + VALUE_BYTES + CHARACTER_BYTES * (text?.length ?? 0), 0),
  };
}

function unpack({ run, series, times, values, texts, qualities, repeats }: PackedPortion): PollPortion {
  const all = series.map((each, k) => ({
    series: each,
    times: [times[k] as number],
    values: [values[k] ?? null],
    texts: [texts[k] ?? null],
    qualities: [qualities[k] ?? null],
  }));
  return { run, points: all.slice(0, all.length - repeats), repeats: all.slice(all.length - repeats) };
}

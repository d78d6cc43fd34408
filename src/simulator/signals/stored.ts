import type { Value } from '../values.ts';
import { placeFrom } from './place-from.ts';
import type { Points, Signal } from './signal.ts';

/** A time as epoch milliseconds (a fraction holds microseconds) or as a text with a zone. */
export type GivenTime = number | string;
export type GivenPoint = readonly [GivenTime, Value];

/**
 * Returns epoch milliseconds of a given time. Up to six digits of a second are kept. Throws if it has no
 * zone.
 */
export function givenTimeMs(time: GivenTime): number {
  if (typeof time === 'number') return time;
  const fraction = /\.(\d+)(?=Z|[+-]\d\d:?\d\d$)/.exec(time)?.[1] ?? '';
  const wholeMs = Date.parse(fraction === '' ? time : time.replace(`.${fraction}`, ''));
  if (Number.isNaN(wholeMs) || !/(Z|[+-]\d\d:?\d\d)$/.test(time))
    throw new Error(`${time} is no time with a zone`);
  return wholeMs + Number(fraction.padEnd(6, '0').slice(0, 6)) / 1000;
}

/**
 * Points that somebody gave. More points may be added at any time, in any order. Points with equal times keep
 * the order in which they came.
 */
export class StoredSignal implements Signal {
  readonly #times: number[] = [];
  readonly #values: Value[] = [];

  constructor(points: Iterable<GivenPoint> = []) {
    this.add(points);
  }

  add(points: Iterable<GivenPoint>): void {
    for (const [given, value] of points) {
      const time = givenTimeMs(given);
      const place = this.#placeAfter(time);
      if (place === this.#times.length) {
        this.#times.push(time);
        this.#values.push(value);
      } else {
        this.#times.splice(place, 0, time);
        this.#values.splice(place, 0, value);
      }
    }
  }

  read(fromMs: number, toMs: number, max: number): Points {
    const from = placeFrom(this.#times, fromMs);
    return this.#slice(from, Math.min(placeFrom(this.#times, toMs), from + max));
  }

  readLast(fromMs: number, toMs: number, count: number): Points {
    const to = placeFrom(this.#times, toMs);
    return this.#slice(Math.max(placeFrom(this.#times, fromMs), to - count), to);
  }

  #slice(from: number, to: number): Points {
    return { times: this.#times.slice(from, to), values: this.#values.slice(from, to) };
  }

  /** Returns the place behind all points of the same time. */
  #placeAfter(time: number): number {
    if ((this.#times.at(-1) ?? Number.NEGATIVE_INFINITY) <= time) return this.#times.length;
    let place = placeFrom(this.#times, time);
    while (this.#times[place] === time) place += 1;
    return place;
  }
}

/**
 * Makes a signal from a function that computes the points of a window. `startMs` bounds a window that is open
 * below.
 */
export function generatedSignal(
  generate: (fromMs: number, toMs: number) => Iterable<GivenPoint>,
  startMs: number,
): Signal {
  return {
    read(fromMs, toMs, max) {
      const points: Points = { times: [], values: [] };
      if (max <= 0) return points;
      for (const [given, value] of generate(Math.max(fromMs, startMs), toMs)) {
        const time = givenTimeMs(given);
        if (time < fromMs || time >= toMs) continue;
        points.times.push(time);
        points.values.push(value);
        if (points.times.length >= max) break;
      }
      return points;
    },
  };
}

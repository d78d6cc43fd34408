import type { Value } from '../values.ts';
import type { Points, Signal } from './points.ts';

/** A time as epoch milliseconds (a fraction holds microseconds) or as a text with a zone. */
export type GivenTime = number | string;
export type GivenPoint = readonly [GivenTime, Value];

/** Epoch milliseconds of a given time. Up to six digits of a second are kept. */
export function givenTimeMs(time: GivenTime): number {
  if (typeof time === 'number') return time;
  const fraction = /\.(\d+)(?=Z|[+-]\d\d:?\d\d$)/.exec(time)?.[1] ?? '';
  const wholeMs = Date.parse(fraction === '' ? time : time.replace(`.${fraction}`, ''));
  if (Number.isNaN(wholeMs) || !/(Z|[+-]\d\d:?\d\d)$/.test(time))
    throw new Error(`${time} is no time with a zone`);
  return wholeMs + Number(fraction.padEnd(6, '0').slice(0, 6)) / 1000;
}

/** Points that somebody gave; more may be added at any time, in any order. Equal times keep the order they came in. */
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
    const from = this.#placeFrom(fromMs);
    const to = Math.min(this.#placeFrom(toMs), from + max);
    return { times: this.#times.slice(from, to), values: this.#values.slice(from, to) };
  }

  #placeAfter(time: number): number {
    return (this.#times.at(-1) ?? Number.NEGATIVE_INFINITY) <= time
      ? this.#times.length
      : this.#search((other) => other > time);
  }

  #placeFrom(time: number): number {
    return this.#search((other) => other >= time);
  }

  /** The first place whose time passes the test, which all later ones pass too. */
  #search(passes: (time: number) => boolean): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (passes(this.#times[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Points that a function computes for a window (ascending); `startMs` bounds a window that is open below. */
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

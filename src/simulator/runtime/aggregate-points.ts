import { parameterError } from '../refused-call.ts';
import type { Points } from '../signals/signal.ts';
import type { Value } from '../values.ts';

export type GroupFunction = 'mean' | 'sum' | 'max' | 'min' | 'first' | 'last';

/**
 * A period of `groupBy` with its offset. Months are calendar months in UTC. Weeks begin on Thursday, as the
 * epoch does.
 */
export interface Grouping {
  readonly count: number;
  readonly unit: 's' | 'm' | 'h' | 'd' | 'w' | 'M';
  readonly offsetMs: number;
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const MAX_BUCKETS = 1_000_000;

/**
 * Reads `300s,0s`, or `300s` alone if the dialect wants no offset. Throws a `RefusedCall` for any other text.
 */
export function parseGrouping(text: string, form: 'period-and-offset' | 'period'): Grouping {
  const parts = text.split(',');
  const period = /^([1-9]\d*)([smhdwM])$/.exec(parts[0] ?? '');
  const offset = /^(\d+)([smhdw])$/.exec(form === 'period' ? '0s' : (parts[1] ?? ''));
  if (!period || !offset || parts.length !== (form === 'period' ? 1 : 2))
    throw parameterError(`groupBy.time ${text} is not understood`);
  return {
    count: Number(period[1]),
    unit: period[2] as Grouping['unit'],
    offsetMs: Number(offset[1]) * unitMs[offset[2] as keyof typeof unitMs],
  };
}

/** Returns the start of the bucket that holds an instant. */
function bucketStart(timeMs: number, { count, unit, offsetMs }: Grouping): number {
  if (unit !== 'M') {
    const size = count * unitMs[unit];
    return Math.floor((timeMs - offsetMs) / size) * size + offsetMs;
  }
  const date = new Date(timeMs - offsetMs);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const first = month - (month % count);
  return Date.UTC(Math.floor(first / 12), first % 12) + offsetMs;
}

function nextBucket(start: number, grouping: Grouping): number {
  if (grouping.unit !== 'M') return start + grouping.count * unitMs[grouping.unit];
  const date = new Date(start - grouping.offsetMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + grouping.count) + grouping.offsetMs;
}

/**
 * Returns one row per bucket of `[fromMs, toMs)`, or a single row without a grouping. The first bucket may
 * begin before `fromMs`. A bucket without data is null. With the fill `previous` it repeats the value before
 * it, if there is one.
 */
export function aggregate(
  points: Points,
  fn: GroupFunction,
  form: { fromMs: number; toMs: number; grouping: Grouping | undefined; fill: string },
): Points {
  const rows: Points = { times: [], values: [] };
  const { grouping } = form;
  const firstMs = Number.isFinite(form.fromMs) ? form.fromMs : points.times[0];
  if (firstMs === undefined) return rows;
  if (!grouping) return { times: [firstMs], values: [reduce(points.values, fn)] };
  let place = 0;
  for (let start = bucketStart(firstMs, grouping); start < form.toMs; ) {
    if (rows.times.length >= MAX_BUCKETS) throw parameterError('groupBy.time is too short for this range');
    const end = nextBucket(start, grouping);
    const from = place;
    while (place < points.times.length && (points.times[place] ?? 0) < end) place += 1;
    const value = reduce(points.values.slice(from, place), fn);
    rows.times.push(start);
    rows.values.push(value ?? (form.fill === 'previous' ? (rows.values.at(-1) ?? null) : null));
    start = end;
  }
  return rows;
}

function reduce(values: readonly Value[], fn: GroupFunction): Value {
  if (fn === 'first') return values[0] ?? null;
  if (fn === 'last') return values.at(-1) ?? null;
  let [sum, count, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    const number = typeof value === 'bigint' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) continue;
    sum += number;
    count += 1;
    min = Math.min(min, number);
    max = Math.max(max, number);
  }
  if (count === 0) return null;
  return fn === 'mean' ? sum / count : fn === 'sum' ? sum : fn === 'min' ? min : max;
}

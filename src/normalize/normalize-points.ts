import { Breaks } from '../breaks.ts';
import { isBoolean, isNumeric } from '../series/primitive-types.ts';
import type { Quality, RawRows, Series, SeriesPoints } from '../series/types.ts';
import { DECIMAL } from './fit.ts';
import { cleanText, toJson } from './text.ts';

/** One value as the stores hold it. */
export interface TypedValue {
  readonly value: number | null;
  readonly text: string | null;
  readonly quality: Quality;
}

/** Typed points of one series, and the number of rows that were dropped while making them. */
export interface NormalizedPoints {
  readonly points: SeriesPoints;
  /** Number of rows whose time came again later in the reply. The later row was kept. */
  readonly collisions: number;
}

type Declared = 'number' | 'boolean' | 'text' | 'unknown';

const INTEGER = /^[+-]?\d+$/;
/** Rows that are sorted at once. */
const BLOCK = 4_096;
/** Longest integer, in characters with its sign, that is read as a number. */
const MAX_DIGITS = 1_000;

function declaredAs(primitiveType: string | null): Declared {
  if (primitiveType === null) return 'unknown';
  if (isNumeric(primitiveType)) return 'number';
  return isBoolean(primitiveType) ? 'boolean' : 'text';
}

/**
 * Makes typed points of the rows of one series, ascending and with one point for each time. Of rows with
 * equal times the last received is kept. Every row becomes a point; a point without a plain value of the
 * declared type says why in its quality.
 */
export async function normalizePoints(
  series: Series,
  rows: RawRows,
  breaks = new Breaks(),
): Promise<NormalizedPoints> {
  if (await isPlain(series, rows, breaks)) return { points: plainPoints(series, rows), collisions: 0 };
  const order = await orderByTime(rows, breaks);
  const typed = createTyper(series.primitiveType);
  const points = {
    series,
    times: [] as number[],
    values: [] as (number | null)[],
    texts: [] as (string | null)[],
    qualities: [] as Quality[],
  };
  for (let k = 0; k < order.length; k += 1) {
    if (breaks.dueAt(k)) await breaks.take();
    const index = order[k] as number;
    const time = rows.times[index] as number;
    const next = order[k + 1];
    if (next !== undefined && rows.times[next] === time) continue;
    const { value, text, quality } = typed(rows.values[index]);
    points.times.push(time);
    points.values.push(value);
    points.texts.push(text);
    points.qualities.push(quality);
  }
  return { points, collisions: order.length - points.times.length };
}

/** Returns true if nothing has to be done, as with most series: numbers as declared, ascending in time. */
async function isPlain(
  { primitiveType }: Series,
  { times, values }: RawRows,
  breaks: Breaks,
): Promise<boolean> {
  const declared = declaredAs(primitiveType);
  if (declared !== 'number' && declared !== 'unknown') return false;
  for (let k = 0, last = Number.NEGATIVE_INFINITY; k < times.length; k += 1) {
    if (breaks.dueAt(k)) await breaks.take();
    const time = times[k] as number;
    if (!(time > last) || !Number.isFinite(values[k])) return false;
    last = time;
  }
  return true;
}

/** A column without any text or quality. Series of a window mostly have equally many points and share it. */
let nothing: readonly null[] = [];

function plainPoints(series: Series, { times, values }: RawRows): SeriesPoints {
  if (nothing.length !== times.length) nothing = new Array<null>(times.length).fill(null);
  return { series, times, values: values as readonly number[], texts: nothing, qualities: nothing };
}

/** Returns the positions of the rows that are points, ascending in time. Equal times keep their order. */
async function orderByTime({ times, values }: RawRows, breaks: Breaks): Promise<readonly number[]> {
  const byTime = (a: number, b: number) => (times[a] as number) - (times[b] as number) || a - b;
  const runs: number[][] = [];
  for (let from = 0; from < times.length; from += BLOCK) {
    if (breaks.due) await breaks.take();
    const block: number[] = [];
    const to = Math.min(times.length, from + BLOCK);
    for (let k = from; k < to; k += 1) if (values[k] !== undefined) block.push(k);
    if (block.some((k, at) => at > 0 && byTime(block[at - 1] as number, k) > 0)) block.sort(byTime);
    const [last, first] = [runs.at(-1)?.at(-1), block[0]];
    if (last === undefined || (first !== undefined && byTime(last, first) > 0)) runs.push(block);
    else for (const k of block) runs.at(-1)?.push(k);
  }
  return mergeRuns(runs, times, breaks);
}

/** Merges ascending runs in pairs until one is left. Rows mostly come sorted, or as a few sorted parts. */
async function mergeRuns(
  runs: readonly (readonly number[])[],
  times: readonly number[],
  breaks: Breaks,
): Promise<readonly number[]> {
  let left = runs;
  while (left.length > 1) {
    const merged: (readonly number[])[] = [];
    for (let k = 0; k < left.length; k += 2)
      merged.push(await mergeTwo([left[k] ?? [], left[k + 1] ?? []], times, breaks));
    left = merged;
  }
  return left[0] ?? [];
}

/** Of equal times those of the first run come first. */
async function mergeTwo(
  [first, second]: readonly [readonly number[], readonly number[]],
  times: readonly number[],
  breaks: Breaks,
): Promise<readonly number[]> {
  if (second.length === 0) return first;
  const merged: number[] = [];
  for (let [i, j] = [0, 0]; i < first.length || j < second.length; ) {
    if (breaks.dueAt(i + j)) await breaks.take();
    const [a, b] = [first[i], second[j]];
    const takesFirst = b === undefined || (a !== undefined && (times[a] as number) <= (times[b] as number));
    merged.push((takesFirst ? a : b) as number);
    if (takesFirst) i += 1;
    else j += 1;
  }
  return merged;
}

/**
 * Makes the function that types the values of a property with this declared `primitiveType`. Null means that
 * no type is declared.
 */
export function createTyper(primitiveType: string | null): (value: unknown) => TypedValue {
  const declared = declaredAs(primitiveType);
  return (value) => {
    if (value === null || value === undefined) return { value: null, text: null, quality: 'null' };
    if (typeof value === 'number' && (declared === 'number' || declared === 'unknown'))
      return typeNumber(value);
    if (typeof value === 'boolean' && declared === 'boolean')
      return { value: value ? 1 : 0, text: null, quality: null };
    if (declared === 'number' || declared === 'unknown') {
      const numeric = typeNumeric(value, declared);
      if (numeric !== undefined) return numeric;
    }
    return typeText(value, declared);
  };
}

function typeNumber(value: number): TypedValue {
  if (Number.isFinite(value)) return { value, text: null, quality: null };
  return { value: null, text: null, quality: Number.isNaN(value) ? 'nan' : 'infinity' };
}

/**
 * Types an integer too long for a double, or a decimal sent as text. Returns undefined for any other value.
 */
function typeNumeric(value: unknown, declared: Declared): TypedValue | undefined {
  if (typeof value === 'bigint') return typeInteger(value);
  if (typeof value !== 'string') return undefined;
  if (value === 'NaN') return { value: null, text: null, quality: 'nan' };
  if (/^[+-]?Infinity$/.test(value)) return { value: null, text: null, quality: 'infinity' };
  if (declared === 'unknown' || !DECIMAL.test(value)) return undefined;
  // A decimal that no double holds, such as 1e400, stays a text, which keeps its digits.
  if (!INTEGER.test(value)) return Number.isFinite(Number(value)) ? typeNumber(Number(value)) : undefined;
  // No double is so large, and reading all the digits would take too long.
  return value.length > MAX_DIGITS ? undefined : typeInteger(BigInt(value.replace('+', '')));
}

function typeInteger(value: bigint): TypedValue {
  const nearest = Number(value);
  if (!Number.isFinite(nearest)) return { value: null, text: String(value), quality: 'mistyped' };
  return { value: nearest, text: Number.isSafeInteger(nearest) ? null : String(value), quality: null };
}

/** Types any value as text. The quality is `mistyped` if the value does not fit the declared type. */
function typeText(value: unknown, declared: Declared): TypedValue {
  const { text, replaced } = cleanText(typeof value === 'object' ? toJson(value) : String(value));
  const fits =
    declared === 'unknown' ||
    (declared === 'text' && typeof value !== 'number' && typeof value !== 'boolean');
  return { value: null, text, quality: fits ? (replaced ? 'replaced' : null) : 'mistyped' };
}

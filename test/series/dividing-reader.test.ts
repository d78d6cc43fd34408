import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnprovenHistory } from '../../src/series/bounds.ts';
import { DividingReader, type ReaderDeps } from '../../src/series/dividing-reader.ts';
import { ReplySizes } from '../../src/series/reply-sizes.ts';
import type { RowsBySeries } from '../../src/series/rows.ts';
import { requestsAllowed, type Window } from '../../src/series/window.ts';
import {
  type ModelBehaviour,
  ModelError,
  ModelPlatform,
  type ModelRow,
  modelSeries,
  wellBehaved,
} from './model-platform.ts';

/**
 * The suite draws the same platforms each time, so that a change alone makes it fail. To look for rare ones,
 * set this variable to other numbers.
 */
const seed = Number(process.env.PLANTSYNC_TEST_SEED ?? 20_261_130);
const SERIES = 4;
const SPAN_SEC = 40;
/** The first second of the span. */
const START_SEC = Date.UTC(2024, 4, 1) / 1000;
const START = START_SEC * 1e6;

const row = fc.record({
  seriesId: fc.integer({ min: 0, max: SERIES - 1 }),
  // Times are quarters of a second, so that seconds hold many rows and times repeat.
  time: fc.integer({ min: 0, max: SPAN_SEC * 4 - 1 }).map((quarter) => START + quarter * 250_000),
  visibleFrom: fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }) },
  ),
});
/** Rows spread over the window, and bursts of one series in a few seconds. */
const rows = fc
  .tuple(
    fc.array(row, { maxLength: 150 }),
    fc.array(fc.tuple(row, fc.integer({ min: 2, max: 30 })), { maxLength: 3 }).map((bursts) =>
      bursts.flatMap(([start, length]) =>
        Array.from({ length }, (_, k) => ({
          ...start,
          time: Math.min(start.time + k * 50_000, START + SPAN_SEC * 1e6 - 1),
        })),
      ),
    ),
  )
  .map((parts): ModelRow[] => parts.flat().map((each, value) => ({ ...each, value })));

const never = fc.constant(Number.POSITIVE_INFINITY);
const hiding = {
  capRows: fc.oneof(never, fc.integer({ min: 2, max: 60 })),
  capCounts: fc.constantFrom('total', 'series'),
  limitCounts: fc.constantFrom('total', 'series'),
  limitIgnored: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending'),
  sequence: fc.constantFrom('series', 'time'),
  offsetIgnored: fc.boolean(),
  looseBounds: fc.boolean(),
  lastBefore: fc.boolean(),
  empty: fc.constantFrom('named', 'omitted'),
  boundsIgnored: fc.constant('none'),
  shiftSec: fc.constant(0),
} as const;
const bounds = fc.constantFrom('none', 'none', 'ge', 'lt', 'both');
const failing = {
  maxSpanSec: fc.oneof(never, fc.constantFrom(1, 7)),
  timeoutAbove: fc.oneof(never, fc.integer({ min: 5, max: 60 })),
  maxLimit: fc.oneof(never, fc.constantFrom(100, 1_000, 2_000)),
  poisonedSeries: fc.option(fc.integer({ min: 0, max: SERIES - 1 }), { nil: undefined }),
  poisonedSec: fc.option(fc.integer({ min: START_SEC, max: START_SEC + SPAN_SEC - 1 }), { nil: undefined }),
  forgetEvery: never,
  failEvery: fc.oneof(never, fc.integer({ min: 2, max: 9 })),
  silentEvery: fc.oneof(never, fc.integer({ min: 1, max: 9 })),
  silentForm: fc.constantFrom(
    'no results',
    'empty result',
    'no datas',
    'null datas',
    'message',
    'message beside rows',
  ),
} as const;
const behaviour: fc.Arbitrary<ModelBehaviour> = fc.record({ ...hiding, ...failing, boundsIgnored: bounds });
const limit = fc.constantFrom(3, 10, 40, 1_000, 50_000);

interface Outcome {
  complete: { window: Window; rows: RowsBySeries }[];
  unreadable: Window[];
  /** Why each unreadable window was not read. */
  reasons: string[];
  error: unknown;
  limit: number;
  requests: number;
  /** Each window that was read, with its number of requests. */
  windows: { window: Window; requests: number }[];
  replySizes: ReplySizes;
}

/** Reads the whole span in windows of the given widths, with one memory of reply sizes, as a run does. */
async function readAll(
  platform: ModelPlatform,
  limit: number,
  widthsSec: readonly number[],
): Promise<Outcome> {
  const outcome: Outcome = {
    complete: [],
    unreadable: [],
    reasons: [],
    error: undefined,
    requests: 0,
    windows: [],
    limit,
    replySizes: new ReplySizes(),
  };
  const deps: ReaderDeps = {
    read: platform.read,
    classify: (error) => (error instanceof ModelError ? error.meaning : 'stop'),
    replySizes: outcome.replySizes,
    limit: { current: limit },
    onComplete: async (window, rows) => void outcome.complete.push({ window, rows }),
    onUnreadable: async (window, reason) => {
      outcome.unreadable.push(window);
      outcome.reasons.push(reason);
    },
  };
  try {
    const endSec = START_SEC + SPAN_SEC;
    for (let fromSec = START_SEC, k = 0; fromSec < endSec; k += 1) {
      const toSec = Math.min(endSec, fromSec + (widthsSec[k % widthsSec.length] ?? SPAN_SEC));
      const window = { series: modelSeries(SERIES), fromSec, toSec };
      const before = platform.requests;
      try {
        await new DividingReader(window, deps).read();
      } finally {
        outcome.windows.push({ window, requests: platform.requests - before });
      }
      fromSec = toSec;
    }
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof UnprovenHistory)) throw error;
    outcome.error = error;
  }
  outcome.requests = platform.requests;
  return outcome;
}

const widths = fc.array(fc.integer({ min: 1, max: SPAN_SEC }), { minLength: 1, maxLength: 5 });

/**
 * Expects that a complete part has every row that was visible all along and lies in it. No row may be
 * invented.
 */
function expectComplete(truth: readonly ModelRow[], { complete }: Outcome): void {
  // All in one expectation, because there are a million rows.
  const wrong: string[] = [];
  for (const { window, rows } of complete)
    for (const { id } of window.series) {
      const own = truth.filter((r) => r.seriesId === id && inside(r.time, window));
      const { times = [], values = [] } = rows.get(id) ?? {};
      const found = new Set(times);
      const where = `in [${window.fromSec}, ${window.toSec}) of series ${id}`;
      for (const { time, visibleFrom } of own)
        if (visibleFrom === 0 && !found.has(time)) wrong.push(`the row at ${time} is missing ${where}`);
      const pairs = new Set(own.map(({ time, value }) => `${time}=${value}`));
      for (const [k, time] of times.entries())
        if (!pairs.has(`${time}=${String(values[k])}`))
          wrong.push(`no row ${time}=${String(values[k])} exists ${where}`);
    }
  expect(wrong).toEqual([]);
}

function inside(time: number, window: Window): boolean {
  return time >= window.fromSec * 1e6 && time < window.toSec * 1e6;
}

/** Expects that every second of every series ended once: either complete or unreadable. */
function expectEverySecondOnce({ complete, unreadable, error }: Outcome): void {
  const ends: number[] = new Array(SERIES * SPAN_SEC).fill(0);
  for (const window of [...complete.map((part) => part.window), ...unreadable])
    for (const { id } of window.series)
      for (let sec = window.fromSec; sec < window.toSec; sec += 1) {
        const cell = id * SPAN_SEC + sec - START_SEC;
        ends[cell] = (ends[cell] ?? Number.NaN) + 1;
      }
  // One that failed has left seconds alone, and has read none twice.
  const allowed = error === undefined ? [1] : [0, 1];
  expect(ends.filter((times) => !allowed.includes(times))).toEqual([]);
}

/** Expects that no window took more requests than its series, seconds and rows allow. */
function expectFewRequests(truth: readonly ModelRow[], { windows }: Outcome): void {
  const tooMany = windows.flatMap(({ window, requests }) => {
    const rows = truth.filter(({ time }) => inside(time, window)).length;
    return requests <= requestsAllowed(window, rows) + 1 ? [] : [`${requests} requests for ${rows} rows`];
  });
  expect(tooMany).toEqual([]);
}

/**
 * Expects right diagnoses. Only a platform that ignores a bound is said to do so. A second is called dense
 * only if it is.
 */
function expectRightDiagnosis(
  truth: readonly ModelRow[],
  { boundsIgnored, capRows, limitIgnored }: ModelBehaviour,
  { error, reasons, unreadable, limit }: Outcome,
): void {
  const ignored: string[] = { none: [], ge: ['ge'], lt: ['lt'], both: ['ge', 'lt'] }[boundsIgnored];
  if (error instanceof UnprovenHistory) {
    const named = /ignores (.*?):/.exec(error.message)?.[1]?.split(' and ') ?? [];
    expect(named.length, error.message).toBeGreaterThan(0);
    expect(ignored, error.message).toEqual(expect.arrayContaining(named));
  }
  const most = Math.min(capRows, limitIgnored ? capRows : limit);
  for (const [k, reason] of reasons.entries()) {
    const window = unreadable[k];
    if (window === undefined || !reason.includes('one second')) continue;
    const own = truth.filter((r) => r.seriesId === window.series[0]?.id);
    const isSent = ({ time, visibleFrom }: ModelRow) =>
      visibleFrom === 0 &&
      ((ignored.includes('ge') && time < window.fromSec * 1e6) ||
        (ignored.includes('lt') && time >= window.toSec * 1e6));
    const isDense = own.filter(({ time }) => inside(time, window)).length >= most;
    expect(isDense || !own.some(isSent), `${reason}, and it is not`).toBe(true);
  }
}

/** Makes a row of one series in each second; its value is the second. */
function everySecond(seriesId: number): ModelRow[] {
  return Array.from({ length: SPAN_SEC }, (_, sec) => ({
    seriesId,
    time: START + sec * 1e6,
    value: sec,
    visibleFrom: 0,
  }));
}

describe('the dividing reader', () => {
  it('calls complete only what is complete, on every platform, and ends', async () => {
    await fc.assert(
      fc.asyncProperty(rows, behaviour, limit, widths, async (truth, platform, limit, widths) => {
        const outcome = await readAll(new ModelPlatform(truth, platform), limit, widths);
        expectComplete(truth, outcome);
        expectEverySecondOnce(outcome);
        expectFewRequests(truth, outcome);
        expectRightDiagnosis(truth, platform, outcome);
      }),
      { numRuns: 3_000, seed },
    );
  });

  it('takes a series that a reply forgets for unread, where the platform names series without points', async () => {
    const truth = Array.from({ length: 3 * SPAN_SEC }, (_, k): ModelRow => {
      const [seriesId, second] = [k % 3, Math.floor(k / 3)];
      return { seriesId, time: START + second * 1e6, visibleFrom: 0, value: k };
    });
    const platform = new ModelPlatform(truth, { ...wellBehaved, empty: 'named', forgetEvery: 3 });
    const outcome = await readAll(platform, 1_000, [5, 8]);
    expectComplete(truth, outcome);
    expectEverySecondOnce(outcome);
  });

  it('reads everything where nothing fails and `offset` works', async () => {
    const sound = fc.record({ ...hiding, offsetIgnored: fc.constant(false) });
    await fc.assert(
      fc.asyncProperty(rows, sound, limit, widths, async (seen, hidden, limit, widths) => {
        // A row that becomes visible between two pages can make them look alike. The second is then given up.
        const truth = seen.map((each) => ({ ...each, visibleFrom: 0 }));
        const outcome = await readAll(new ModelPlatform(truth, { ...wellBehaved, ...hidden }), limit, widths);
        expect(outcome.error).toBeUndefined();
        expect(outcome.unreadable).toEqual([]);
        expectComplete(truth, outcome);
      }),
      { numRuns: 1_000, seed },
    );
  });

  it('reads everything where bounds are ignored and `offset` works', async () => {
    const free = {
      ...hiding,
      capRows: never,
      limitIgnored: fc.constant(false),
      offsetIgnored: fc.constant(false),
    };
    const ignoring = fc.record({ ...free, boundsIgnored: bounds });
    await fc.assert(
      fc.asyncProperty(rows, ignoring, widths, async (seen, hidden, widths) => {
        const truth = seen.map((each) => ({ ...each, visibleFrom: 0 }));
        const outcome = await readAll(new ModelPlatform(truth, { ...wellBehaved, ...hidden }), 1_000, widths);
        expect(outcome.error).toBeUndefined();
        expect(outcome.unreadable).toEqual([]);
        expectComplete(truth, outcome);
      }),
      { numRuns: 500, seed },
    );
  });

  it.each(['ge', 'lt', 'both'] as const)(
    'stops after a few requests where a platform ignores %s and `offset`',
    async (boundsIgnored) => {
      const truth = everySecond(0);
      const platform = new ModelPlatform(truth, { ...wellBehaved, boundsIgnored, offsetIgnored: true });
      const outcome = await readAll(platform, 1_000, [10]);
      expect(outcome.error).toBeInstanceOf(UnprovenHistory);
      expectComplete(truth, outcome);
      expect(outcome.requests).toBeLessThan(30);
    },
  );

  it.each([8 * 3_600, -3_600])(
    'stops where replies are %d s off the times that were asked for',
    async (shiftSec) => {
      const platform = new ModelPlatform(everySecond(0), { ...wellBehaved, shiftSec });
      const outcome = await readAll(platform, 1_000, [10]);
      expect(String(outcome.error)).toMatch(/sends other times .* platform\.timezone/);
      expect(outcome.complete).toEqual([]);
      expect(outcome.requests).toBeLessThan(10);
    },
  );

  it('does not take an ignored bound for other times where a last value before the window has come first', async () => {
    const rowsAt = (quarter: number, count: number, visibleFrom: number) =>
      Array.from({ length: count }, (_, k): ModelRow => {
        const time = START + quarter * 250_000 + k * 50_000;
        return { seriesId: 2, time, visibleFrom, value: quarter + k };
      });
    const truth = [...rowsAt(0, 2, 0), ...rowsAt(5, 18, 4)];
    const ignoring = { boundsIgnored: 'lt', order: 'descending', lastBefore: true, capRows: 3 } as const;
    const platform = new ModelPlatform(truth, { ...wellBehaved, ...ignoring, empty: 'named', maxLimit: 100 });
    const outcome = await readAll(platform, 3, [3, 1]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.unreadable).toEqual([]);
    expectComplete(truth, outcome);
  });

  it('does not take a second for empty because rows near it filled the reply', async () => {
    const before = [0, 1].map(
      (seriesId): ModelRow => ({ seriesId, time: START, visibleFrom: 0, value: seriesId }),
    );
    const near = Array.from({ length: 11 }, (_, k): ModelRow => {
      return { seriesId: 2, time: START + 25_500_000 + k * 50_000, visibleFrom: 0, value: k };
    });
    const hiding = { capRows: 2, capCounts: 'series', looseBounds: true, lastBefore: true } as const;
    const platform = new ModelPlatform([...before, ...near], { ...wellBehaved, ...hiding, empty: 'named' });
    const outcome = await readAll(platform, 3, [1]);
    expect(outcome.error).toBeUndefined();
    expectComplete([...before, ...near], outcome);
  });

  it('counts a row once that comes again in each part that is read on by `offset`', async () => {
    const burst = (seriesId: number, quarter: number, count: number) =>
      Array.from({ length: count }, (_, k): ModelRow => {
        const time = START + quarter * 250_000 + k * 50_000;
        return { seriesId, time, visibleFrom: 0, value: 100 * seriesId + k };
      });
    const truth = [...burst(2, 0, 1), ...burst(2, 30, 13), ...burst(0, 28, 2), ...burst(3, 28, 14)];
    const hiding = { capRows: 5, limitIgnored: true, order: 'descending', lastBefore: true } as const;
    const failing = { boundsIgnored: 'lt', poisonedSeries: 1, failEvery: 6 } as const;
    const platform = new ModelPlatform(truth, { ...wellBehaved, ...hiding, ...failing, empty: 'named' });
    const outcome = await readAll(platform, 3, [7]);
    expectComplete(truth, outcome);
    expectFewRequests(truth, outcome);
  });

  it('takes a last value before the window for what it is', async () => {
    const truth = everySecond(0).filter(({ value }) => value % 20 === 7);
    const outcome = await readAll(
      new ModelPlatform(truth, { ...wellBehaved, lastBefore: true }),
      1_000,
      [10],
    );
    expect(outcome.error).toBeUndefined();
    expectComplete(truth, outcome);
    expectEverySecondOnce(outcome);
  });

  it('gives a window up that takes more requests than it may', async () => {
    const platform = new ModelPlatform([], { ...wellBehaved, maxSpanSec: 1 });
    const window = { series: modelSeries(1), fromSec: START_SEC, toSec: START_SEC + 3_600 };
    const unreadable: Window[] = [];
    const reader = new DividingReader(window, {
      read: platform.read,
      classify: () => 'smaller',
      replySizes: new ReplySizes(),
      limit: { current: 1_000 },
      onComplete: async () => undefined,
      onUnreadable: async (part) => void unreadable.push(part),
    });
    expect(await reader.read()).toEqual({ answered: true, isSpent: true });
    expect(platform.requests).toBeLessThanOrEqual(Math.ceil(requestsAllowed(window, 0)));
    expect(unreadable.length).toBeGreaterThan(0);
  });

  it.each(['ascending', 'descending'] as const)(
    'lets the later row of one time win where rows are %s, also where they are read on by `offset`',
    async (order) => {
      const at = (value: number) => ({ seriesId: 0, time: START + 5_000_000, value, visibleFrom: 0 });
      const truth = [...everySecond(0).slice(0, 5), ...[101, 102, 103, 104, 105].map(at)];
      for (const capRows of [Number.POSITIVE_INFINITY, 2]) {
        const platform = new ModelPlatform(truth, { ...wellBehaved, order, capRows });
        const { complete, unreadable } = await readAll(platform, 1_000, [SPAN_SEC, 6, 1]);
        expect(unreadable).toEqual([]);
        const rows = complete.flatMap(({ rows }) => {
          const { times, values } = rows.get(0) ?? { times: [], values: [] };
          return times.map((time, k) => [time, values[k]]);
        });
        expect(new Map(rows as [number, unknown][]).get(START + 5_000_000)).toBe(105);
      }
    },
  );

  it('leaves out one poisoned series or second and reads all others', async () => {
    const truth = modelSeries(SERIES).flatMap(({ id }) =>
      Array.from({ length: SPAN_SEC }, (_, sec) => ({
        seriesId: id,
        time: START + sec * 1e6,
        value: sec,
        visibleFrom: 0,
      })),
    );
    const platform = new ModelPlatform(truth, {
      ...wellBehaved,
      poisonedSeries: 2,
      poisonedSec: START_SEC + 7,
    });
    const outcome = await readAll(platform, 1_000, [SPAN_SEC]);
    expect(outcome.error).toBeUndefined();
    expectComplete(truth, outcome);
    const lostSeconds = outcome.unreadable.map(({ series, fromSec, toSec }) => [
      series[0]?.id,
      fromSec - START_SEC,
      toSec - START_SEC,
    ]);
    expect(lostSeconds).toEqual([
      [0, 7, 8],
      [1, 7, 8],
      [2, 0, SPAN_SEC],
      [3, 7, 8],
    ]);
  });

  it('lowers its limit where the platform accepts only a lower one', async () => {
    const truth = Array.from({ length: SPAN_SEC }, (_, sec) => ({
      seriesId: 0,
      time: START + sec * 1e6,
      value: sec,
      visibleFrom: 0,
    }));
    const outcome = await readAll(
      new ModelPlatform(truth, { ...wellBehaved, maxLimit: 1_500 }),
      50_000,
      [10],
    );
    expect(outcome.unreadable).toEqual([]);
    expectComplete(truth, outcome);
    expect(outcome.requests, 'two refusals, and the proof of four windows of equal size').toBe(2 + 4 * 3);
  });

  it('gives up a window of which nothing answers after a few requests', async () => {
    const outcome = await readAll(new ModelPlatform([], { ...wellBehaved, failEvery: 1 }), 1_000, [SPAN_SEC]);
    expect(outcome.complete).toEqual([]);
    expect(outcome.unreadable).toEqual([
      { series: modelSeries(SERIES), fromSec: START_SEC, toSec: START_SEC + SPAN_SEC },
    ]);
    expect(outcome.requests).toBe(4);
  });

  it('does not divide again what was proven, and learns a hidden cap from two cuts', async () => {
    const truth = Array.from({ length: SPAN_SEC * 4 }, (_, k) => ({
      seriesId: 0,
      time: START + k * 250_000,
      value: k,
      visibleFrom: 0,
    }));
    const capped = await readAll(new ModelPlatform(truth, { ...wellBehaved, capRows: 50 }), 1_000, [
      SPAN_SEC,
      20,
    ]);
    expect(capped.replySizes.learned.cap.rows).toBe(50);
    const free = await readAll(new ModelPlatform(truth, wellBehaved), 1_000, [20, 10, 5]);
    // Two halves prove one window; the smaller windows after it need one request each.
    expect(free.requests).toBe(3 + 3);
  });
});

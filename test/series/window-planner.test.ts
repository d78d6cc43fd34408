import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DividingReader } from '../../src/series/dividing-reader.ts';
import { ReplySizes, sizeOf } from '../../src/series/reply-sizes.ts';
import { type Batch, type PlannedWindow, WindowPlanner } from '../../src/series/window-planner.ts';
import { ModelPlatform, type ModelRow, modelSeries, wellBehaved } from './model-platform.ts';

const goals = { rows: 500, bytes: 1e9, firstSpanSec: 600 };

/**
 * Requests until typical sizes of replies are proven: halves of some windows, each larger than those before.
 */
const FIRST_PROOFS = 15;

interface Signal {
  readonly periodSec: number;
  readonly skipEvery: number;
}
const signal: fc.Arbitrary<Signal> = fc.record({
  periodSec: fc.constantFrom(5, 10, 30, 60),
  skipEvery: fc.integer({ min: 7, max: 50 }),
});

/** Makes rows with a fixed period, and leaves one out now and then. */
function sample(signals: readonly Signal[], spanSec: number): ModelRow[] {
  return signals.flatMap(({ periodSec, skipEvery }, seriesId) =>
    Array.from({ length: Math.floor(spanSec / periodSec) }, (_, k) => k)
      .filter((k) => (k + 1) % skipEvery !== 0)
      .map((k) => ({ seriesId, time: k * periodSec * 1e6, value: k, visibleFrom: 0 })),
  );
}

async function readByPlan(
  platform: ModelPlatform,
  batches: Batch<undefined>[],
): Promise<PlannedWindow<undefined>[]> {
  const replySizes = new ReplySizes();
  const planner = new WindowPlanner(batches, goals, replySizes);
  const windows: PlannedWindow<undefined>[] = [];
  for (let window = planner.take(); window !== undefined; window = planner.take()) {
    windows.push(window);
    let rows = 0;
    let seriesRows = 0;
    await new DividingReader(window, {
      read: platform.read,
      classify: () => 'stop',
      replySizes,
      limit: { current: 10 * goals.rows },
      onComplete: async (_, part) => {
        rows += sizeOf(part).rows;
        seriesRows = Math.max(seriesRows, sizeOf(part).seriesRows);
      },
      onUnreadable: async () => undefined,
    }).read();
    planner.note(window, { rows, seriesRows }, 30);
  }
  return windows;
}

describe('the window planner', () => {
  it('costs at most a tenth more requests than perfect replySizes on a well-behaved platform, beside what the first sizes cost to prove', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(signal, { minLength: 3, maxLength: 5 }), async (signals) => {
        const rowsPerSec = signals.reduce(
          (sum, { periodSec, skipEvery }) => sum + (1 - 1 / skipEvery) / periodSec,
          0,
        );
        const spanSec = Math.ceil((150 * goals.rows) / rowsPerSec);
        const truth = sample(signals, spanSec);
        const platform = new ModelPlatform(truth, wellBehaved);
        await readByPlan(platform, [
          { series: modelSeries(signals.length), missing: [{ from: 0, to: spanSec * 1e6 }], tag: undefined },
        ]);
        const perfect = Math.ceil(truth.length / goals.rows);
        expect(platform.requests).toBeLessThanOrEqual(perfect * 1.1 + FIRST_PROOFS);
      }),
      { numRuns: 60 },
    );
  });

  it('cuts windows that cover exactly what is missing, oldest first', async () => {
    const missing = [
      { from: 0, to: 5_000e6 },
      { from: 9_000e6, to: 20_000e6 },
    ];
    const [first, second] = modelSeries(2);
    if (first === undefined || second === undefined) throw new Error('the model has two series');
    const batches = [
      { series: [first], missing, tag: undefined },
      { series: [second], missing: [{ from: 100e6, to: 300e6 }], tag: undefined },
    ];
    const windows = await readByPlan(
      new ModelPlatform(sample([{ periodSec: 5, skipEvery: 9 }], 20_000), wellBehaved),
      batches,
    );
    for (const batch of batches) {
      const own = windows.filter((window) => window.batch === batch);
      const ends = batch.missing.map((range) => range.to / 1e6);
      let at = batch.missing[0]?.from ?? 0;
      for (const window of own) {
        expect(window.fromSec * 1e6).toBe(at);
        at = ends.includes(window.toSec)
          ? (batch.missing.find((range) => range.from > at)?.from ?? Number.NaN)
          : window.toSec * 1e6;
      }
      expect(at).toBeNaN();
    }
    expect(windows[0]?.fromSec).toBe(0);
  });

  it('goes on after a window that was not read after all, as if it had learnt nothing', () => {
    const planner = new WindowPlanner(
      [{ series: [], missing: [{ from: 0, to: 10_000e6 }], tag: undefined }],
      { rows: 100, bytes: 1e9, firstSpanSec: 60 },
      new ReplySizes(),
    );
    const first = planner.take();
    expect(planner.take()).toBeUndefined();
    if (first !== undefined) planner.skip(first);
    expect(planner.take()).toMatchObject({ fromSec: 60, toSec: 120 });
  });

  it('widens its windows where many in a row need no reading, after a narrow one was read', () => {
    const batch = { series: modelSeries(1), missing: [{ from: 0, to: 100_000e6 }], tag: undefined };
    const planner = new WindowPlanner(
      [batch],
      { rows: 1_000, bytes: 1e9, firstSpanSec: 10 },
      new ReplySizes(),
    );
    const first = planner.take();
    if (first !== undefined) planner.note(first, { rows: 1, seriesRows: 1 }, 33);
    const widths: number[] = [];
    for (let window = planner.take(); window !== undefined; window = planner.take()) {
      widths.push(window.toSec - window.fromSec);
      planner.skip(window);
    }
    expect(widths.slice(0, 6)).toEqual([40, 160, 640, 2560, 10_000, 10_000]);
  });

  it('takes all that is left at once where a narrow window costs as much as a wide one', () => {
    const replySizes = new ReplySizes();
    const batch = { series: modelSeries(1), missing: [{ from: 0, to: 100_000e6 }], tag: undefined };
    const planner = new WindowPlanner([batch], { rows: 100, bytes: 1e9, firstSpanSec: 60 }, replySizes);
    const first = planner.take();
    expect(first).toMatchObject({ fromSec: 0, toSec: 60 });
    if (first !== undefined) planner.note(first, { rows: 60, seriesRows: 60 }, 33);
    replySizes.noteReadsOn();
    expect(planner.take()).toMatchObject({ fromSec: 60, toSec: 100_000 });
  });

  it('gives out a window that was put back together with what borders on it, once its wait has ended', () => {
    const batch = { series: modelSeries(1), missing: [{ from: 0, to: 10_000e6 }], tag: 'first' };
    const other = { series: modelSeries(1), missing: [{ from: 5_000e6, to: 6_000e6 }], tag: 'second' };
    const planner = new WindowPlanner(
      [batch, other],
      { rows: 100, bytes: 1e9, firstSpanSec: 60 },
      new ReplySizes(),
    );
    const first = planner.take();
    if (first === undefined) throw new Error('nothing was planned');
    planner.putBack(first);
    expect(planner.take()).toMatchObject({ batch: other });
    expect(planner.take()).toBeUndefined();
    planner.resume(first);
    expect(planner.take()).toMatchObject({ batch, fromSec: 0, toSec: 60 });
  });

  it('keeps a second window of a batch back until the first reply tells its density', () => {
    const batch = { series: modelSeries(1), missing: [{ from: 0, to: 10_000e6 }], tag: undefined };
    const planner = new WindowPlanner([batch], goals, new ReplySizes());
    const window = planner.take();
    expect(planner.take()).toBeUndefined();
    if (window !== undefined) planner.note(window, { rows: 60, seriesRows: 60 }, 33);
    expect(planner.take()).toBeDefined();
  });

  it('cuts the first window of a batch by the density that earlier fillings showed', () => {
    const batch = { series: modelSeries(2), missing: [{ from: 0, to: 100_000e6 }], tag: undefined };
    const planner = new WindowPlanner([batch], { ...goals, rowsPerSeriesHour: 360 }, new ReplySizes());
    expect(planner.take()).toMatchObject({ fromSec: 0, toSec: 2_500 });
    expect(planner.take()).toBeUndefined();
  });

  it('stays below a hidden cap once it is learnt', async () => {
    const truth = sample([{ periodSec: 5, skipEvery: 9 }], 60_000);
    const platform = new ModelPlatform(truth, { ...wellBehaved, capRows: 120 });
    await readByPlan(platform, [
      { series: modelSeries(1), missing: [{ from: 0, to: 60_000e6 }], tag: undefined },
    ]);
    expect(platform.requests).toBeLessThan((truth.length / 120) * 1.25);
  });

  it('halves its windows while they fail for their size', () => {
    const batch = { series: modelSeries(1), missing: [{ from: 0, to: 100_000e6 }], tag: undefined };
    const planner = new WindowPlanner([batch], goals, new ReplySizes());
    const widths: number[] = [];
    for (let k = 0; k < 4; k += 1) {
      const window = planner.take();
      if (window === undefined) break;
      widths.push(window.toSec - window.fromSec);
      planner.noteFailure(window);
    }
    expect(widths).toEqual([600, 300, 150, 75]);
  });
});

import { describe, expect, it } from 'vitest';
import { describeCoverage } from '../../../src/cli/output/render-gaps.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { readPicture } from '../../../src/sync/status/coverage-picture.ts';
import { listGaps } from '../../../src/sync/status/list-gaps.ts';
import { readStatus } from '../../../src/sync/status/read-status.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';
import { noAlarms } from '../../support/stream-switches.ts';

const HOUR = 3_600e6;
const selection = { objects: 'pump1', properties: 'temp', current: false, history: { start: '5h' } };

describe('what is said of completeness', () => {
  it('claims nothing where no series is known, and names a selection that matches none', async () => {
    const { ctx } = await openSimulatedPlant({ size: 'tiny' }, () => ({
      alarms: noAlarms,
      runtime: [{ ...selection, objects: 'Pomp*' }],
    }));
    const report = await listGaps(ctx);
    expect(report).toMatchObject({ series: 0, unmatched: ['Pomp*/temp'], gaps: [] });
    expect(describeCoverage({ ...report, count: report.gaps.length }).join('\n')).toMatch(
      /"Pomp\*", properties "temp"[\s\S]*no series is known/,
    );
    expect(await readStatus(ctx)).toMatchObject({ history: { series: 0 } });
  });

  it('draws what each store has of it, by selection or by series', async () => {
    const { ctx, simulator } = await openSimulatedPlant(
      { size: { objects: 0, persons: 0 } },
      ({ influx }) => ({
        influx,
        runtime: [selection, { ...selection, objects: 'pump2', history: { start: '10h' } }],
      }),
    );
    for (const name of ['pump1', 'pump2'])
      simulator.addObject({ name, properties: [{ name: 'temp', points: [] }] });
    const now = ctx.clock();
    const [postgres, influx] = ctx.stores;
    if (postgres === undefined || influx === undefined) throw new Error('there are two stores');
    await fillHistory({ ...ctx, stores: [postgres] }, { mode: 'backfill', from: now - 5 * HOUR, to: now });
    const { range, lines } = await readPicture(ctx);
    expect(Math.round((range.to - range.from) / HOUR)).toBe(10);
    expect(
      lines.map(({ store, name, share }) => [store === influx.id, name, Number(share.toFixed(2))]),
    ).toEqual([
      [false, 'pump1/temp', 1],
      [true, 'pump1/temp', 0],
      [false, 'pump2/temp', 0.5],
      [true, 'pump2/temp', 0],
    ]);
    expect(lines[0]?.cells.slice(0, 29).every((cell) => cell === undefined)).toBe(true);
    expect(lines[2]?.cells.slice(0, 29).every((cell) => cell === 0)).toBe(true);
    const ofPump2 = await readPicture(ctx, { objects: 'pump2', to: now - 8 * HOUR, countCells: () => 4 });
    expect(Math.round((ofPump2.range.to - ofPump2.range.from) / HOUR)).toBe(2);
    expect(ofPump2.lines.map(({ name, cells }) => [name, cells])).toEqual([
      ['pump2.temp', [0, 0, 0, 0]],
      ['pump2.temp', [0, 0, 0, 0]],
    ]);
    const found = await listGaps(ctx, { objects: 'pump2' });
    const hours = found.gaps.map(({ store, series, ranges: [gap] }) => [
      store === influx.id,
      series,
      Math.round(((gap?.to ?? 0) - (gap?.from ?? 0)) / HOUR),
    ]);
    expect(hours, 'from the start of history of the selection of pump2').toEqual([
      [false, 'pump2.temp', 5],
      [true, 'pump2.temp', 10],
    ]);
    const byName = await readPicture(ctx, { from: now - 2 * HOUR, to: now, objects: 'pump*' });
    expect(byName.lines.map(({ name, series }) => [name, series])).toEqual([
      ['pump1.temp', 1],
      ['pump1.temp', 1],
      ['pump2.temp', 1],
      ['pump2.temp', 1],
    ]);
  });

  it('lists what is wanted and not stored, and tells the newest seconds apart from gaps', async () => {
    const { ctx, simulator } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      alarms: noAlarms,
      runtime: [selection],
    }));
    simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: [] }] });
    const now = ctx.clock();
    await fillHistory(ctx, { mode: 'backfill', from: now - 6 * HOUR, to: now - 3 * HOUR });
    await fillHistory(ctx, { mode: 'backfill', from: now - 2 * HOUR, to: now });
    const { series, gaps } = await listGaps(ctx);
    expect(series).toBe(1);
    expect(gaps.map(({ series: name, ranges }) => [name, ranges.length])).toEqual([['pump1.temp', 1]]);
    const [gap] = gaps[0]?.ranges ?? [];
    expect(Math.abs((gap?.to ?? 0) - (gap?.from ?? 0) - HOUR)).toBeLessThan(5e6);
    await fillHistory(ctx, { mode: 'increment', again: 'none' });
    const after = await listGaps({ ...ctx, clock: () => ctx.clock() + 90e6 });
    expect(after.gaps).toEqual([]);
    expect(after.behindSec).toBeGreaterThanOrEqual(90);
    expect(describeCoverage({ ...after, count: 0 })).toEqual([
      expect.stringMatching(/^no gaps: everything wanted of 1 series is stored.* by the next run$/),
    ]);
  });
});

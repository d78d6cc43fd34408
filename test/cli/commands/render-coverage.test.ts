import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countCells, renderPicture, shadeOf } from '../../../src/cli/commands/gaps/render-coverage.ts';
import { widthOf } from '../../../src/cli/output/text-width.ts';
import { shareIn } from '../../../src/sync/status/coverage-picture.ts';

const day = 86_400e6;

it('a share is drawn as all or as nothing only if it is', () => {
  expect([undefined, 0, 0.001, 0.4, 0.7, 0.999, 1].map(shadeOf)).toEqual(['·', ' ', '░', '▒', '▓', '▓', '█']);
});

it('the share of a cell is that of its wanted part that is in no gap, over all series', () => {
  const range = fc
    .tuple(fc.nat(20), fc.integer({ min: 1, max: 20 }))
    .map(([from, width]) => ({ from, to: from + width }));
  fc.assert(
    fc.property(
      range,
      range,
      fc.array(range, { maxLength: 3 }),
      fc.nat(3),
      (cell, wanted, ranges, gapSeries) => {
        const gaps = [{ series: gapSeries, ranges }];
        const units = Array.from({ length: 41 }, (_, at) => at);
        const isIn = (at: number, { from, to }: { from: number; to: number }) => at >= from && at < to;
        const asked = units.filter((at) => isIn(at, cell) && isIn(at, wanted));
        const lacking = asked.filter((at) => ranges.some((gap) => isIn(at, gap))).length * gapSeries;
        const share = shareIn(cell, { wanted: [wanted], gaps, series: 3 });
        if (asked.length === 0) expect(share).toBeUndefined();
        else expect(share).toBeCloseTo(1 - lacking / (asked.length * 3), 9);
      },
    ),
  );
});

it('a picture has a line for each store, selection and aggregate, and an axis with its times', () => {
  const cells = [undefined, 0, 0.5, 1, 1, 1];
  const from = Date.UTC(2026, 0, 1) * 1000;
  const lines = renderPicture({
    range: { from, to: from + 60 * day },
    lines: [
      {
        store: 'postgres:plant',
        stream: 'history',
        name: '*/temp',
        series: 20,
        cells: Array.from({ length: 10 }, () => cells).flat(),
        share: 0.9999,
      },
      {
        store: 'influx:a',
        stream: 'history/300s/mean',
        name: 'pump1.temp',
        series: 1,
        cells: Array.from({ length: 60 }, () => 1),
        share: 1,
      },
    ],
  });
  expect(lines).toEqual([
    'postgres:plant',
    `  */temp (20)          │${'· ▒███'.repeat(10)}│  99.9%`,
    'influx:a',
    `  pump1.temp 300s/mean │${'█'.repeat(60)}│   100%`,
    `                       └${'─'.repeat(30)}┴${'─'.repeat(29)}┘`,
    '                       2026-01-01T00:00Z      2026-01-31T00:00Z     2026-03-02T00:00Z',
  ]);
});

it('names of wide characters leave all cells in the same columns', () => {
  const line = { store: 'postgres:plant', stream: 'history', series: 1, cells: [1], share: 1 };
  const lines = renderPicture({
    range: { from: 0, to: day },
    lines: [
      { ...line, name: '水泵房/温度' },
      { ...line, name: 'pump1/temp' },
    ],
  });
  expect(lines.slice(1, 4)).toEqual([
    '  水泵房/温度 │█│   100%',
    '  pump1/temp  │█│   100%',
    `${' '.repeat(14)}└┴┘`,
  ]);
});

it.each([140, 80, 64, 48])('the cells and the axis fill a terminal of %d columns, and no more', (columns) => {
  const named = { stream: 'history/300s/mean', name: '水泵房/温度', series: 20 };
  const count = countCells([named], columns);
  const lines = renderPicture({
    range: { from: 0, to: 60 * day },
    lines: [{ ...named, store: 'postgres:plant', share: 1, cells: Array.from({ length: count }, () => 1) }],
  });
  const widths = lines.map(widthOf);
  expect(Math.max(...widths)).toBe(columns);
  expect(lines.at(-1)).toMatch(/1970-01-01T00:00Z/);
});

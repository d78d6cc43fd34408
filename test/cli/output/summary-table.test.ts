import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/output/exit-code.ts';
import { renderSummary } from '../../../src/cli/output/summary-table.ts';
import { renderTable } from '../../../src/cli/output/table.ts';
import { emptySummary, type RunSummary } from '../../../src/sync/run-summary.ts';

const summary = (stream: string, more: Partial<RunSummary>): RunSummary => ({
  ...emptySummary(stream),
  ...more,
});

describe('renderSummary', () => {
  it('shows a line per stream and every problem below', () => {
    const lines = renderSummary([
      summary('persons', { records: 1234, inserted: 4, updated: 3, unchanged: 1227, seconds: 1.25 }),
      summary('history', {
        status: 'partial',
        points: { postgres: 10, influx: 7 },
        problems: ['influx is down'],
      }),
    ]);
    expect(lines[2]).toMatch(/^persons +1,234 +1,234 .* 1\.3 +done$/);
    expect(lines[3]).toMatch(/^history .*10 postgres \+ 7 influx .*partial$/);
    expect(lines.at(-1)).toBe('history: influx is down');
  });
});

describe('exitCodeOf', () => {
  const of = (...statuses: RunSummary['status'][]) =>
    exitCodeOf(statuses.map((status) => summary('s', { status })));

  it('is 0 only if everything is done, 1 if everything failed, else 3', () => {
    expect(of('done', 'done')).toBe(0);
    expect(of()).toBe(0);
    expect(of('failed', 'failed')).toBe(1);
    expect(of('done', 'failed')).toBe(3);
    expect(of('partial')).toBe(3);
  });
});

describe('renderTable', () => {
  it('puts numbers to the right and counts wide characters twice', () => {
    expect(
      renderTable(
        ['name', 'n'],
        [
          ['泵房', 5],
          ['a', 1000],
        ],
      ),
    ).toEqual(['name      n', '────  ─────', '泵房      5', 'a     1,000']);
  });
});

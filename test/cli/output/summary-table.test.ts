import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/output/exit-code.ts';
import { layOut } from '../../../src/cli/output/lay-out.ts';
import { renderSummary } from '../../../src/cli/output/summary-table.ts';
import { emptySummary, type RunSummary } from '../../../src/sync/run-summary.ts';

const summary = (stream: string, more: Partial<RunSummary>): RunSummary => ({
  ...emptySummary(stream),
  ...more,
});

const render = (summaries: readonly RunSummary[], columns = 200) => layOut(renderSummary(summaries), columns);

describe('renderSummary', () => {
  it('shows a line per stream and every problem below', () => {
    const lines = render([
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

  it('fits into 80 columns: points take two lines, and what matters least is left out', () => {
    const points = { postgres: 123_456, influx: 123_456 };
    const lines = render(
      [summary('object_properties', { records: 1_234_567, points, requests: 99_999 })],
      80,
    );
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^stream +rows +changed +deleted +points +rejects +status$/);
    expect(lines[3]).toMatch(/^ +123,456 influx$/);
    expect(lines.at(-1)).toBe('not shown, since the terminal is narrow: records, requests, seconds');
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

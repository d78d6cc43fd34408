import { describe, expect, it } from 'vitest';
import { describePlan, planToJson, renderPlan } from '../../../src/cli/commands/backfill/backfill-plan.ts';
import { layOut } from '../../../src/cli/output/lay-out.ts';
import { aggregateStream, rawHistory } from '../../../src/series/history-stream.ts';
import { type FillPlan, linesOf } from '../../../src/sync/history/estimate-fill.ts';

const hour = 3.6e9;
type Batches = Parameters<typeof linesOf>[1];

/** Makes a batch of the plan: the numbers of its series, the missing hours, the kinds of the stores. */
function batch(
  ids: readonly number[],
  hours: readonly (readonly [number, number])[],
  kinds: readonly string[],
  stream = rawHistory,
) {
  return {
    series: ids.map((id) => ({ id })),
    missing: hours.map(([from, to]) => ({ from: from * hour, to: to * hour })),
    tag: { stream, stores: kinds.map((kind) => ({ kind, id: kind })) },
  };
}

const hourly = aggregateStream({ periodSec: 3_600, fn: 'mean' });
const pace = { rowsPerSeriesHour: 60, rowsPerRequest: 1_000, rowsPerSec: 20, rows: 9_999, at: 0 };

const lines = linesOf(
  '*/temp',
  [
    batch([1, 2], [[0, 2]], ['postgres']),
    batch(
      [3],
      [
        [0, 1],
        [4, 5],
      ],
      ['postgres'],
    ),
    batch([1], [[2, 3]], ['postgres', 'influx']),
    batch([1], [[0, 10]], ['postgres'], hourly),
  ] as unknown as Batches,
  ({ stepSec }) => (stepSec === 1 ? pace : undefined),
);

const planOf = (estimate: FillPlan['estimate']): FillPlan => ({
  lines: lines.map((line) => ({ ...line, estimate })),
  series: 3,
  seriesHours: 7,
  estimate,
});

describe('a plan', () => {
  it('has one line for all that one selection lacks of a stream in the same stores, with what it takes by the pace of such streams', () => {
    expect(lines).toEqual([
      {
        selection: '*/temp',
        stream: 'history',
        stores: ['postgres'],
        series: 3,
        range: { from: 0, to: 5 * hour },
        stretches: 2,
        seriesHours: 6,
        estimate: { points: 360, requests: 2, seconds: 18 },
      },
      expect.objectContaining({ stores: ['postgres', 'influx'], series: 1, seriesHours: 1 }),
      expect.objectContaining({ stream: 'history/3600s/mean', seriesHours: 10, estimate: undefined }),
    ]);
  });

  it('is told in one sentence, with the time of its end', () => {
    const plan = planOf({ points: 420_000, requests: 421, seconds: 3_600 });
    expect(describePlan(plan, Date.UTC(2026, 0, 1, 23))).toBe(
      '3 series, 7 series-hours to read: ~420K points in ~421 requests, 60 min at the pace seen; done about 2026-01-02T00:00Z',
    );
    expect(layOut(renderPlan(plan), 200)).toHaveLength(2 + lines.length + 1);
    expect(planToJson(plan)).toMatchObject({
      seriesHours: 7,
      plan: [{ from: '1970-01-01T00:00:00Z' }, {}, {}],
    });
  });

  it('makes no guess where no pace is known, and says so', () => {
    const text = layOut(renderPlan(planOf(undefined)), 200).join('\n');
    expect(text).toMatch(/\?/);
    expect(text).toMatch(/known once some history was read/);
  });

  it('that is empty says that there is nothing to do', () => {
    const empty = { lines: [], series: 0, seriesHours: 0, estimate: undefined };
    expect(renderPlan(empty)).toEqual(['nothing to do: everything is stored']);
    expect(renderPlan({ ...empty, reason: 'the platform has no objects' })).toEqual([
      'nothing to do: the platform has no objects',
    ]);
  });
});

import { formatInstant } from '../../../series/instant.ts';
import type { Estimate, FillPlan, PlanLine } from '../../../sync/history/estimate-fill.ts';
import {
  type Column,
  formatBrief,
  formatDuration,
  formatNumber,
  type Line,
  makeTable,
} from '../../output/table.ts';
import { describeRange } from '../../output/time.ts';

const COLUMNS: readonly (Column | string)[] = [
  { title: 'stores', wrap: 8 },
  { title: 'selection', cut: 8 },
  { title: 'stream', wrap: 8, drop: 5 },
  { title: 'series', drop: 6 },
  'from',
  'to',
  { title: 'gaps', drop: 1 },
  { title: 'series-hours', drop: 2 },
  { title: 'points', drop: 4 },
  { title: 'requests', drop: 3 },
  'time',
];

/** Renders the plan: a line for each selection, stream and set of stores, and one sentence on all of it. */
export function renderPlan(plan: FillPlan): Line[] {
  if (plan.lines.length === 0) return [describePlan(plan)];
  return [makeTable(COLUMNS, plan.lines.map(cellsOf)), describePlan(plan)];
}

function cellsOf({ stores, selection, stream, series, range, ...line }: PlanLine) {
  const { points, requests, time } = textsOf(line.estimate);
  return [
    stores.join(' + '),
    selection,
    stream,
    series,
    formatInstant(range.from),
    formatInstant(range.to),
    line.stretches,
    line.seriesHours,
    points,
    requests,
    time,
  ];
}

function textsOf(estimate: Estimate | undefined): { points: string; requests: string; time: string } {
  if (estimate === undefined) return { points: '?', requests: '?', time: '?' };
  const { points, requests, seconds } = estimate;
  return {
    points: `~${formatBrief(points)}`,
    requests: `~${formatBrief(requests)}`,
    time: formatDuration(seconds * 1000),
  };
}

/** Describes the plan in one sentence. With `nowMs` the sentence tells when the backfill may be done. */
export function describePlan(plan: FillPlan, nowMs?: number): string {
  const { lines, series, seriesHours, estimate } = plan;
  if (lines.length === 0) return `nothing to do: ${plan.reason ?? 'everything is stored'}`;
  const amount = `${formatNumber(series)} series, ${formatNumber(seriesHours)} series-hours to read`;
  if (estimate === undefined)
    return `${amount}; the time for that is known once some history was read (plantsync discover measures its density)`;
  const { points, requests, time } = textsOf(estimate);
  const sentence = `${amount}: ${points} points in ${requests} requests, ${time} at the pace seen`;
  if (nowMs === undefined) return sentence;
  return `${sentence}; done about ${new Date(nowMs + estimate.seconds * 1000).toISOString().slice(0, 16)}Z`;
}

/** Returns the plan for JSON, with exact numbers. */
export function planToJson({ lines, ...totals }: FillPlan): object {
  return {
    plan: lines.map(({ range, ...line }) => ({ ...line, ...describeRange(range) })),
    ...totals,
  };
}

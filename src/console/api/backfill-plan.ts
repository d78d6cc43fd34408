import { z } from 'zod';
import { planAlarmBackfill, planBackfill } from '../../sync/backfill/plan-backfill.ts';
import { flag, isoOf, isoTime, rangeOf, timeText } from './fields.ts';
import { route } from './route.ts';

const cost = z.object({ points: z.number(), requests: z.number(), seconds: z.number() });

const planReply = z.object({
  from: isoTime(),
  to: isoTime(),
  series: z.number(),
  seriesHours: z.number().describe('Hours to read, added up over the series.'),
  cost: cost.optional().describe('By the pace of earlier reads. Missing until any history was read.'),
  reason: z.string().optional().describe('Why there is nothing to read.'),
  notes: z.array(z.string()),
  lines: z.array(
    z.object({
      selection: z.string(),
      stream: z.string(),
      stores: z.array(z.string()).describe('Kinds of the stores that get the points.'),
      series: z.number(),
      from: isoTime(),
      to: isoTime(),
      gaps: z.number().describe('Separate gaps of the series that has most.'),
      seriesHours: z.number(),
      cost: cost.optional(),
    }),
  ),
});
export type BackfillPlanReply = z.output<typeof planReply>;

const planRoute = route({
  method: 'post',
  path: '/backfills/plan',
  id: 'planBackfill',
  summary: 'Tells what a backfill would read, and what that costs, without reading it.',
  writes: false,
  body: z.strictObject({
    from: timeText(),
    to: timeText(),
    object: z.string().min(1).optional().describe('Glob for the aliases of objects.'),
    property: z.string().min(1).optional().describe('Glob for the aliases of properties.'),
    alarms: flag().default(false).describe('Plans the history of alarms, instead of that of series.'),
  }),
  reply: planReply,
  handle: async (ctx, { body: { object, property, alarms, ...times } }) => {
    const range = rangeOf(ctx, times);
    const plan = alarms
      ? await planAlarmBackfill(ctx, range)
      : await planBackfill(ctx, { ...range, objects: object, properties: property });
    const { series, seriesHours, estimate, reason, notes } = plan;
    return {
      ...{ from: isoOf(range.from), to: isoOf(range.to), series, seriesHours, cost: estimate, reason },
      notes: [...notes],
      lines: plan.lines.map(({ range: { from, to }, stretches, estimate: own, stores, ...line }) => ({
        ...line,
        ...{ stores: [...stores], from: isoOf(from), to: isoOf(to), gaps: stretches, cost: own },
      })),
    };
  },
});

export const backfillPlanRoutes = [planRoute];

import { z } from 'zod';
import type { Overview } from '../../sync/status/overview-types.ts';
import { isoTime } from './fields.ts';
import { problemFacts } from './problem-facts.ts';
import { route } from './route.ts';

const level = z.enum(['ok', 'late', 'broken']);
const state = z.object({
  state: z.enum(['up', 'down', 'unknown']),
  since: isoTime(),
  reason: z.string().optional(),
  code: z.string().optional(),
});

const overviewReply = z.object({
  at: isoTime(),
  level: level.describe(
    'ok: everything wanted is stored and everything is alive. late: something is late, missing, refused or paused. broken: something is away.',
  ),
  sentence: z.string().describe('The answer in one sentence.'),
  complete: z
    .object({ upTo: isoTime().optional() })
    .optional()
    .describe('Up to when everything is stored. Missing if not everything is, or nobody knows.'),
  problems: z
    .array(
      z.object({
        level: z.enum(['late', 'broken']),
        kind: z.string(),
        subject: z.string(),
        since: isoTime().optional(),
        sentence: z.string(),
        facts: problemFacts.describe('What the sentence says, in facts.'),
        remedy: z.string().describe('What to do.'),
        code: z.string().optional(),
      }),
    )
    .describe('What is not as it should be, the worst first.'),
  unread: z.object({ reason: z.string(), code: z.string() }).optional(),
  services: z.array(
    z.object({
      host: z.string(),
      pid: z.number(),
      role: z.string(),
      since: isoTime(),
      lastBeat: isoTime(),
      isAlive: z.boolean(),
    }),
  ),
  dependencies: z.array(state.extend({ name: z.string(), title: z.string() })),
  token: state.extend({ validUntil: isoTime().optional() }),
  pauses: z.array(z.object({ target: z.string(), since: isoTime() })).readonly(),
  overdue: z.array(z.object({ job: z.string(), due: isoTime(), overdueSec: z.number() })).readonly(),
  stores: z.array(
    z.object({
      store: z.string(),
      kind: z.string(),
      title: z.string(),
      storedUpTo: isoTime().optional(),
      behindSec: z.number().optional(),
      seriesBehind: z.number(),
      gaps: z.object({ hours: z.number(), series: z.number(), oldest: isoTime().optional() }),
      waiting: z.number().describe('Polls and alarm events that wait for the store.'),
    }),
  ),
  gapsAgeSec: z.number().describe('Age of the sums of gaps.'),
  series: z.number(),
  lostPolledValues: z.number(),
  rejects: z.record(z.string(), z.number()).describe('Open rejects by stream.'),
  backfills: z.array(z.object({ run: z.number(), stream: z.string(), since: isoTime() })).readonly(),
});
export type OverviewReply = z.output<typeof overviewReply>;

const getOverview = route({
  method: 'get',
  path: '/overview',
  id: 'getOverview',
  summary: 'Tells whether the data is complete, what is late since when, and what to do.',
  reply: overviewReply,
  handle: async (ctx) => toReply(await ctx.readOverview()),
});

function toReply({ dependencies, ...overview }: Overview): OverviewReply {
  return { ...overview, dependencies: dependencies.map(({ toldBy: _, lastAway: __, ...told }) => told) };
}

export const overviewRoutes = [getOverview];

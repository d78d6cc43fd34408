import { z } from 'zod';
import type { Cause } from '../../sync/brief-reason.ts';
import type { ProblemFacts } from '../../sync/status/problem-facts.ts';
import { isoTime } from './fields.ts';

const cause = z.object({
  text: z.string().describe('The reason in a few English words, or as a server has told it.'),
  failure: z.enum(['refused', 'unknown-host', 'no-way', 'closed', 'no-answer']).optional(),
  code: z.string().optional(),
}) satisfies z.ZodType<Cause>;

const whyMissing = z.discriminatedUnion('is', [
  z.object({ is: z.enum(['paused', 'no-service', 'backfill']) }),
  z.object({ is: z.literal('failed'), cause }),
  z.object({
    is: z.literal('unread'),
    series: z.string().describe('One of the series that cannot be read.'),
    others: z.number().describe('Other series with the same reason.'),
    more: z.number().describe('Other reasons, of other series.'),
    cause,
    asideUntil: isoTime().optional(),
  }),
]);

const missing = z.object({
  says: z.literal('missing'),
  stores: z.array(z.string()).readonly(),
  late: z
    .object({ series: z.number(), bySec: z.number().optional(), since: isoTime().optional() })
    .optional(),
  gaps: z.object({ hours: z.number(), series: z.number(), oldest: isoTime() }).optional(),
  why: whyMissing.optional(),
  isServed: z.boolean(),
});

/** What a problem says, for readers of other languages. */
export const problemFacts = z.discriminatedUnion('says', [
  z.object({ says: z.enum(['ledger-unread', 'ledger-refused']), cause }),
  z.object({ says: z.literal('disk-full'), title: z.string(), since: isoTime() }),
  z.object({
    ...{ says: z.literal('away'), name: z.string(), title: z.string(), since: isoTime() },
    ...{ behindSec: z.number().optional(), cause },
  }),
  z.object({ says: z.literal('no-token'), since: isoTime(), cause }),
  z.object({
    ...{ says: z.literal('silent'), role: z.string(), pid: z.number(), host: z.string() },
    since: isoTime(),
  }),
  z.object({ says: z.literal('overdue'), job: z.string(), due: isoTime(), lateSec: z.number() }),
  z.object({ says: z.literal('paused'), target: z.string(), since: isoTime() }),
  missing,
  z.object({
    ...{ says: z.literal('run-failed'), stream: z.string(), begun: isoTime() },
    ...{ ended: z.enum(['failed', 'partial', 'lost']), cause: cause.optional() },
  }),
  z.object({
    ...{ says: z.literal('differs'), title: z.string(), points: z.number(), series: z.number() },
    found: isoTime(),
  }),
  z.object({ says: z.literal('rejects'), open: z.number(), streams: z.array(z.string()).readonly() }),
  z.object({ says: z.literal('values-lost'), count: z.number() }),
  z.object({ says: z.literal('nothing-read') }),
]) satisfies z.ZodType<ProblemFacts>;

import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import type { OrderRecord } from '../../ledger/orders.ts';
import { type RejectRecord, rejectStates } from '../../ledger/rejects/rejects.ts';
import type { ReplayBody, ReplayedCase } from '../../sync/orders/order-body.ts';
import type { ApiContext } from './api-context.ts';
import { itemsOf, placeCursor, placeIn } from './cursors.ts';
import { isoOf, isoTime, pageOf, paging } from './fields.ts';
import { route } from './route.ts';

const rejectReply = z.object({
  id: z.number(),
  stream: z.string(),
  kind: z.string().describe('`record`, `point`, or the kind of trouble.'),
  key: z.string().describe('Key of the record, or name of the series.'),
  reason: z.string(),
  count: z.number().describe('How often the case was met.'),
  firstAt: isoTime(),
  lastAt: isoTime(),
  state: z.enum(rejectStates),
  settledAt: isoTime().optional(),
  note: z.string().optional().describe('Who dismissed the case, and why.'),
});
export type RejectReply = z.output<typeof rejectReply>;

const rejectDetail = rejectReply.extend({
  sample: z.unknown().describe('What was received, or a part of it.'),
  ranges: z.array(z.object({ from: isoTime(), to: isoTime() })).describe('Where refused points lie.'),
});
export type RejectDetail = z.output<typeof rejectDetail>;

const rejectsPage = pageOf(rejectReply).extend({
  open: z.record(z.string(), z.number()).describe('Open cases of each stream.'),
});
export type RejectsPage = z.output<typeof rejectsPage>;

const listRejects = route({
  method: 'get',
  path: '/rejects',
  id: 'listRejects',
  summary: 'Lists what could not be used, the cases met last first.',
  query: z.strictObject({
    stream: z.string().optional(),
    kind: z.string().optional(),
    state: z.enum([...rejectStates, 'all']).default('open'),
    ...paging,
  }),
  reply: rejectsPage,
  async handle({ ledger }, { query: { stream, kind, state, limit, after } }) {
    const place = placeIn(after);
    const found = await ledger.rejects.list({
      ...{ stream, kind, state, limit: limit + 1 },
      after: place && { lastAt: place.at, id: place.id },
    });
    const cursor = ({ lastAt, id }: RejectRecord) => placeCursor({ at: lastAt, id });
    const open = Object.fromEntries(await ledger.rejects.countOpen());
    return { ...itemsOf(found, { limit, describe: describeReject, cursor }), open };
  },
});

const oneCase = z.object({ id: z.coerce.number().int() });

const getReject = route({
  method: 'get',
  path: '/rejects/{id}',
  id: 'getReject',
  summary: 'Tells all of one case, with what was received.',
  params: oneCase,
  reply: rejectDetail,
  async handle(ctx, { params: { id } }) {
    const [reject] = await readCases(ctx, [id]);
    const { sample, ranges = [] } = reject as RejectRecord;
    return {
      ...describeReject(reject as RejectRecord),
      sample: sample ?? null,
      ranges: ranges.map(({ from, to }) => ({ from: isoOf(from), to: isoOf(to) })),
    };
  },
});

const someCases = z.array(z.number().int()).min(1).max(1_000);

const dismissRejects = route({
  method: 'post',
  path: '/rejects/dismiss',
  id: 'dismissRejects',
  summary: 'Closes cases that nobody will mend. A case that is met again opens again.',
  body: z.strictObject({
    ids: someCases,
    note: z.string().trim().min(1).max(2_000).describe('Who dismisses the cases, and why.'),
  }),
  reply: z.object({ dismissed: z.array(z.number()), settled: z.array(z.number()) }),
  async handle(ctx, { body: { ids, note } }) {
    await readCases(ctx, ids);
    const dismissed = await ctx.ledger.rejects.dismiss(ids, note);
    return { dismissed: [...dismissed], settled: ids.filter((id) => !dismissed.has(id)) };
  },
});

const replayReply = z.object({
  id: z.number(),
  status: z.enum(['waiting', 'running', 'done', 'partial', 'failed', 'cancelled']),
  askedAt: isoTime(),
  finishedAt: isoTime().optional(),
  error: z.string().optional(),
  cases: z
    .array(
      z.object({
        id: z.number(),
        outcome: z.enum(['resolved', 'refused', 'open']),
        note: z.string().optional().describe('Why the case is not resolved.'),
      }),
    )
    .describe('Empty until the replay has ended.'),
});
export type ReplayReply = z.output<typeof replayReply>;

const replayRejects = route({
  method: 'post',
  path: '/rejects/replay',
  id: 'replayRejects',
  summary: 'Lets the service try cases again: those named, or all open ones of a stream, or all.',
  body: z
    .strictObject({ ids: someCases.optional(), stream: z.string().optional() })
    .refine(({ ids, stream }) => ids === undefined || stream === undefined, {
      error: 'give either ids or stream, not both',
    }),
  reply: replayReply,
  async handle(ctx, { body }) {
    if (body.ids !== undefined) await readCases(ctx, body.ids);
    const id = await ctx.ledger.orders.ask('replay', body satisfies ReplayBody);
    return readReplay(ctx, id);
  },
});

const getReplay = route({
  method: 'get',
  path: '/rejects/replays/{id}',
  id: 'getReplay',
  summary: 'Tells what became of cases that the service was asked to try again.',
  params: oneCase,
  reply: replayReply,
  handle: (ctx, { params: { id } }) => readReplay(ctx, id),
});

async function readReplay({ ledger, redact }: ApiContext, id: number): Promise<ReplayReply> {
  const order = await ledger.orders.get(id);
  if (order?.kind !== 'replay') throw new UsageError('usage.unknown_order', `there is no replay ${id}`);
  const { status, askedAt, finishedAt, error } = order;
  return {
    ...{ id, status, askedAt: isoOf(askedAt), finishedAt: isoOf(finishedAt) },
    error: error === undefined ? undefined : redact(error),
    cases: casesOf(order).map(({ note, ...rest }) => ({ ...rest, note: note && redact(note) })),
  };
}

function casesOf({ result }: OrderRecord): readonly ReplayedCase[] {
  return (result as { cases?: readonly ReplayedCase[] } | undefined)?.cases ?? [];
}

/** Reads cases. Throws a `UsageError` that lists the numbers that do not exist. */
async function readCases({ ledger }: ApiContext, ids: readonly number[]): Promise<RejectRecord[]> {
  const found = await Promise.all(ids.map((id) => ledger.rejects.get(id)));
  const missing = ids.filter((_, k) => found[k] === undefined);
  if (missing.length > 0)
    throw new UsageError('usage.unknown_case', 'There is no such case:', missing.map(String));
  return found as RejectRecord[];
}

function describeReject({ resolved, dismissed, ...reject }: RejectRecord): RejectReply {
  const { id, stream, kind, key, reason, count, note } = reject;
  return {
    ...{ id, stream, kind, key, reason, count, note },
    firstAt: isoOf(reject.at),
    lastAt: isoOf(reject.lastAt),
    state: dismissed ? 'dismissed' : resolved ? 'settled' : 'open',
    settledAt: isoOf(reject.resolvedAt),
  };
}

export const rejectRoutes = [listRejects, getReject, dismissRejects, replayRejects, getReplay];

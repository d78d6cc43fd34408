import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { refuseTooOld } from '../../sync/backfill/fill-range.ts';
import { type Backfill, listBackfills, readBackfill } from '../../sync/orders/list-backfills.ts';
import type { BackfillBody } from '../../sync/orders/order-body.ts';
import { figuresOf } from '../../sync/progress-meter.ts';
import type { ApiContext } from './api-context.ts';
import { itemsOf, numberCursor, numberIn } from './cursors.ts';
import { flag, isoOf, isoTime, pageOf, paging, timeOf, timeText } from './fields.ts';
import { route } from './route.ts';

const progressReply = z.object({
  unit: z.string().describe('What is counted: `series-hours`, or `hours` of alarms.'),
  done: z.number(),
  planned: z.number(),
  share: z.number().describe('From 0 to 1.'),
  windows: z.number().describe('Windows, or pieces of workers, that ended.'),
  points: z.number(),
  pointsPerSec: z.number(),
  elapsedSec: z.number(),
  remainingSec: z.number().optional(),
});

const backfillReply = z.object({
  id: z.number().optional().describe('Number of the order. Missing for a backfill of a command.'),
  run: z.number().optional().describe('Number of its newest run, for `/runs/{id}` and `plantsync cancel`.'),
  from: z.string().describe('ISO 8601 in UTC.'),
  to: z.string(),
  object: z.string().optional(),
  property: z.string().optional(),
  alarms: z.boolean(),
  force: z.boolean(),
  status: z.enum(['waiting', 'running', 'done', 'partial', 'failed', 'cancelled', 'interrupted', 'lost']),
  cancelAsked: z.boolean(),
  askedAt: isoTime(),
  begunAt: isoTime().optional(),
  finishedAt: isoTime().optional(),
  progress: progressReply.optional(),
  records: z.number().optional(),
  points: z.record(z.string(), z.number()).optional().describe('Acknowledged points, by kind of store.'),
  problems: z.array(z.string()),
  notes: z.array(z.string()),
  error: z.string().optional(),
});
export type BackfillReply = z.output<typeof backfillReply>;

const listAll = route({
  method: 'get',
  path: '/backfills',
  id: 'listBackfills',
  summary: 'Lists backfills of the service and of commands, the newest first, with their progress.',
  query: z.strictObject(paging),
  reply: pageOf(backfillReply),
  async handle(ctx, { query: { limit, after } }) {
    const found = await listBackfills(ctx.ledger, { before: numberIn(after), limit: limit + 1 });
    const cursor = ({ askedAt }: Backfill) => numberCursor(askedAt);
    return itemsOf(found, { limit, describe: (each) => describe(ctx, each), cursor });
  },
});

const oneOrder = z.object({ id: z.coerce.number().int() });

const getOne = route({
  method: 'get',
  path: '/backfills/{id}',
  id: 'getBackfill',
  summary: 'Tells how far a backfill of the service is, or how it ended.',
  params: oneOrder,
  reply: backfillReply,
  handle: (ctx, { params: { id } }) => read(ctx, id),
});

const begin = route({
  method: 'post',
  path: '/backfills',
  id: 'beginBackfill',
  summary:
    'Lets the service fill a range of history. It goes on when the page is closed, and after a restart.',
  body: z
    .strictObject({
      from: timeText(),
      to: timeText().default('now'),
      object: z.string().min(1).optional().describe('Glob of objects.'),
      property: z.string().min(1).optional().describe('Glob of properties.'),
      alarms: flag().default(false).describe('Fills the history of alarms, instead of that of series.'),
      force: flag().default(false).describe('Reads stored data again, too.'),
    })
    .refine(({ alarms, object, property }) => !alarms || (object ?? property) === undefined, {
      error: 'alarms: reads the history of all alarms, so it takes neither object nor property',
    }),
  reply: backfillReply,
  async handle(ctx, { body: { from, to, ...rest } }) {
    const { config } = ctx;
    const now = ctx.clock();
    const times = {
      from: timeOf(from, { name: 'from', config, now }),
      to: timeOf(to, { name: 'to', config, now }),
    };
    const range = { from: times.from, to: Math.min(times.to, now) };
    if (range.from >= range.to)
      throw new UsageError('usage.wrong_time', 'from: must be in the past, and before to');
    if (!rest.alarms) refuseTooOld(ctx, range);
    return read(ctx, await ctx.ledger.orders.ask('backfill', { ...range, ...rest } satisfies BackfillBody));
  },
});

const cancel = route({
  method: 'post',
  path: '/backfills/{id}/cancel',
  id: 'cancelBackfill',
  summary: 'Ends a backfill of the service within seconds. What is stored stays.',
  params: oneOrder,
  reply: backfillReply,
  async handle(ctx, { params: { id } }) {
    await read(ctx, id);
    await ctx.ledger.orders.cancel(id);
    return read(ctx, id);
  },
});

const cancelRun = route({
  method: 'post',
  path: '/runs/{id}/cancel',
  id: 'cancelRun',
  summary: 'Ends the run of a backfill that runs in any process, also that of a command.',
  params: oneOrder,
  reply: z.object({ cancelled: z.array(z.number()) }),
  async handle({ ledger }, { params: { id } }) {
    const running = await ledger.runs.readRunning('backfill');
    if (!running.some((run) => run.id === id))
      throw new UsageError('usage.unknown_run', `no backfill runs as ${id}`);
    return { cancelled: await ledger.runs.askToCancel([id]) };
  },
});

async function read(ctx: ApiContext, id: number): Promise<BackfillReply> {
  const found = await readBackfill(ctx.ledger, id);
  if (found === undefined) throw new UsageError('usage.unknown_order', `there is no backfill ${id}`);
  return describe(ctx, found);
}

function describe({ redact }: ApiContext, { order, isCancelAsked, progress, summary, ...told }: Backfill) {
  const { askedAt, begunAt, finishedAt, error, ...rest } = told;
  return {
    ...rest,
    id: order,
    cancelAsked: isCancelAsked,
    askedAt: isoOf(askedAt),
    begunAt: isoOf(begunAt),
    finishedAt: isoOf(finishedAt),
    progress: progress && describeProgress(progress),
    records: summary?.records,
    points: summary?.points,
    problems: summary?.problems.map(redact) ?? [],
    notes: summary?.notes.map(redact) ?? [],
    error: error === undefined ? undefined : redact(error),
  };
}

function describeProgress({ parts, ...progress }: NonNullable<Backfill['progress']>) {
  return { ...progress, windows: parts, ...figuresOf({ parts, ...progress }) };
}

export const backfillRoutes = [listAll, getOne, begin, cancel, cancelRun];

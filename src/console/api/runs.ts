import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { type ListedRun, runStatuses } from '../../ledger/list-runs.ts';
import type { RunSummary } from '../../sync/run-summary.ts';
import type { ApiContext } from './api-context.ts';
import { itemsOf, numberCursor, numberIn } from './cursors.ts';
import { flag, isoOf, isoTime, pageOf, paging, timeOf, timeText } from './fields.ts';
import { route } from './route.ts';

const runReply = z.object({
  id: z.number(),
  stream: z.string(),
  kind: z.string().describe('`scan`, `increment …`, `poll …`, `backfill`, `verify …`, and others.'),
  outcome: z.enum(runStatuses),
  startedAt: isoTime(),
  finishedAt: isoTime().optional(),
  seconds: z.number().optional(),
  records: z.number().optional().describe('Records, or points of history, that came from the platform.'),
  points: z.record(z.string(), z.number()).optional().describe('Acknowledged points, by kind of store.'),
  rejects: z.number().optional(),
  error: z.string().optional(),
  code: z.string().optional().describe('Code of the error that ended the run.'),
});
export type RunReply = z.output<typeof runReply>;

/** A page of runs, with the number of those that are left out. */
export interface RunsPage {
  readonly items: readonly RunReply[];
  readonly next?: string | undefined;
  readonly idle?: number | undefined;
}

const runDetail = runReply.extend({
  host: z.string(),
  pid: z.number(),
  summary: z
    .object({
      inserted: z.number(),
      updated: z.number(),
      unchanged: z.number(),
      restored: z.number(),
      deleted: z.number(),
      partRows: z.number(),
      requests: z.number(),
      problems: z.array(z.string()),
      notes: z.array(z.string()),
    })
    .optional()
    .describe('Missing while the run is under way.'),
});
export type RunDetail = z.output<typeof runDetail>;

const listRuns = route({
  method: 'get',
  path: '/runs',
  id: 'listRuns',
  summary: 'Lists runs, the newest first. The ledger keeps 1,000 runs of each stream and kind.',
  query: z.strictObject({
    stream: z.string().optional(),
    kind: z.string().optional().describe('The kind, or its first word.'),
    outcome: z.enum(runStatuses).optional(),
    from: timeText().optional(),
    to: timeText().optional(),
    leaveIdle: flag()
      .default(false)
      .describe('Leaves out runs that were done and brought nothing, and counts them.'),
    ...paging,
  }),
  reply: pageOf(runReply).extend({
    idle: z.number().optional().describe('Runs that `leaveIdle` leaves out.'),
  }),
  async handle(ctx, { query }) {
    const { stream, kind, outcome, leaveIdle, limit } = query;
    const time = (name: 'from' | 'to') =>
      query[name] === undefined
        ? undefined
        : timeOf(query[name], { name, config: ctx.config, now: ctx.clock() });
    const filter = { stream, kind, from: time('from'), to: time('to') };
    const runs = await ctx.ledger.runs.list({
      ...{ ...filter, status: outcome, leaveIdle, limit: limit + 1 },
      after: numberIn(query.after),
    });
    const isCounted = leaveIdle && (outcome === undefined || outcome === 'done');
    const idle = isCounted ? await ctx.ledger.runs.countIdle(filter) : undefined;
    const page = itemsOf(runs, {
      limit,
      describe: (run) => describeRun(ctx, run),
      cursor: ({ id }) => numberCursor(id),
    });
    return { ...page, idle };
  },
});

const getRun = route({
  method: 'get',
  path: '/runs/{id}',
  id: 'getRun',
  summary: 'Tells all of one run, with its problems and notes.',
  params: z.object({ id: z.coerce.number().int() }),
  reply: runDetail,
  async handle(ctx, { params: { id } }) {
    const run = await ctx.ledger.runs.get(id);
    if (run === undefined) throw new UsageError('usage.unknown_run', `there is no run ${id}`);
    return { ...describeRun(ctx, run), host: run.host, pid: run.pid, summary: describeSummary(ctx, run) };
  },
});

/** Describes a run for a reply, with its error free of secrets. */
function describeRun({ redact }: Pick<ApiContext, 'redact'>, run: ListedRun): RunReply {
  const { id, stream, kind, status, startedAt, finishedAt, error } = run;
  const { records, points, rejects, code } = (run.summary ?? {}) as Partial<RunSummary>;
  return {
    ...{ id, stream, kind, outcome: status, records, points, rejects, code },
    startedAt: isoOf(startedAt),
    finishedAt: isoOf(finishedAt),
    seconds: finishedAt === undefined ? undefined : (finishedAt - startedAt) / 1e6,
    error: error === undefined ? undefined : redact(error),
  };
}

function describeSummary({ redact }: Pick<ApiContext, 'redact'>, run: ListedRun): RunDetail['summary'] {
  if (run.summary === null) return undefined;
  const { inserted, updated, unchanged, restored, deleted, ...rest } = run.summary as RunSummary;
  const { partRows, requests, problems, notes } = rest;
  return {
    ...{ inserted, updated, unchanged, restored, deleted, partRows, requests },
    problems: problems.map(redact),
    notes: notes.map(redact),
  };
}

export const runRoutes = [listRuns, getRun];

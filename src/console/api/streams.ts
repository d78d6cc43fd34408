import { z } from 'zod';
import { listJobs } from '../../../jobs/index.ts';
import { isTarget } from '../../../jobs/job.ts';
import { nextRunOf } from '../../../jobs/next-run-of-stream.ts';
import type { Pause } from '../../ledger/control.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import { nextRun } from '../../queue/next-run.ts';
import { readStreamFacts, readStreamStatus, type StreamStatus } from '../../sync/status/stream-status.ts';
import type { ApiContext } from './api-context.ts';
import { isoOf, isoTime } from './fields.ts';
import { route } from './route.ts';

/** The newest run of a stream or job. */
export const lastRunReply = z.object({
  id: z.number(),
  kind: z.string(),
  outcome: z.enum(['running', 'done', 'partial', 'failed', 'interrupted', 'lost']),
  startedAt: isoTime(),
  finishedAt: isoTime().optional(),
  seconds: z.number().optional(),
  error: z.string().optional(),
});

const changesReply = z.object({ updated: z.number(), deleted: z.number(), restored: z.number() });

export const streamReply = z.object({
  stream: z.string(),
  completes: z.string().optional().describe('The stream whose rows a stream of details completes.'),
  enabled: z.boolean(),
  paused: z.boolean(),
  last: lastRunReply.optional(),
  lagSec: z.number().optional().describe('Seconds since a run brought data, if only in part.'),
  nextAt: isoTime().optional(),
  rows: z.object({ live: z.number(), deleted: z.number(), added: z.number() }).optional(),
  recent: changesReply.optional().describe('Changes of the last 24 hours.'),
  rejects: z.number().optional().describe('Open rejects.'),
  drift: z.number().optional().describe('Members of records that differ from their declaration.'),
});

export const jobReply = z.object({
  job: z.string(),
  stream: z.string().describe('The stream of its runs.'),
  paused: z.boolean(),
  last: lastRunReply.optional(),
  nextAt: isoTime(),
});

export const streamsReply = z.object({
  streams: z.array(streamReply).describe('The streams of the directory, parents first.'),
  jobs: z.array(jobReply).describe('What the service does besides the directory.'),
});
export type StreamsReply = z.output<typeof streamsReply>;
export type StreamReply = z.output<typeof streamReply>;
export type JobReply = z.output<typeof jobReply>;
export type LastRunReply = z.output<typeof lastRunReply>;

const listStreams = route({
  method: 'get',
  path: '/streams',
  id: 'listStreams',
  summary: 'Tells of each stream and job its last run, its rows, its lag and when it runs next.',
  reply: streamsReply,
  handle: readStreams,
});

async function readStreams(ctx: ApiContext): Promise<StreamsReply> {
  const facts = await readStreamFacts(ctx);
  const [streams, pauses] = await Promise.all([
    readStreamStatus(ctx, facts),
    ctx.ledger.control.readPauses(),
  ]);
  const jobs = listJobs(ctx.config, ctx.kinds);
  const isPaused = (stream: string) => {
    const own = jobs.filter((job) => job.recorded.stream === stream);
    return own.length > 0 && own.every((job) => pauses.some(({ target }) => isTarget(job, target)));
  };
  const names = new Set(streams.map(({ stream }) => stream));
  return {
    streams: streams.map((stream) =>
      describeStream(ctx, stream, isPaused(stream.completes ?? stream.stream)),
    ),
    jobs: jobs
      .filter(({ recorded }) => !names.has(recorded.stream))
      .map((job) => describeJob(ctx, job, { runs: facts.runs, pauses })),
  };
}

function describeStream(ctx: ApiContext, status: StreamStatus, paused: boolean): StreamReply {
  const now = ctx.clock();
  const { stream, completes, enabled, last, goodAt, rows, recent, rejects, drift } = status;
  const next = nextRunOf(status, { now, timezone: ctx.config.schedule.timezone });
  return {
    ...{ stream, completes, enabled, paused, rows, recent, rejects, drift },
    last: last && describeRun(ctx, last),
    lagSec: goodAt === undefined ? undefined : Math.max(0, (now - goodAt) / 1e6),
    nextAt: isoOf(next),
  };
}

function describeJob(
  ctx: ApiContext,
  job: ReturnType<typeof listJobs>[number],
  { runs, pauses }: { runs: readonly RunRecord[]; pauses: readonly Pause[] },
): JobReply {
  const { name, recorded, schedule } = job;
  const last = runs.find(({ stream, kind }) => stream === recorded.stream && kind === recorded.kind);
  const { timezone } = ctx.config.schedule;
  return {
    job: name,
    stream: recorded.stream,
    paused: pauses.some(({ target }) => isTarget(job, target)),
    last: last && describeRun(ctx, last),
    nextAt: isoOf(nextRun(schedule, { afterMs: ctx.clock() / 1000, timezone }) * 1000),
  };
}

/** Describes a run for a reply, with its error free of secrets. */
export function describeRun({ redact }: Pick<ApiContext, 'redact'>, run: RunRecord): LastRunReply {
  const { id, kind, status, startedAt, finishedAt, error } = run;
  return {
    ...{ id, kind, outcome: status },
    startedAt: isoOf(startedAt),
    finishedAt: isoOf(finishedAt),
    seconds: finishedAt === undefined ? undefined : (finishedAt - startedAt) / 1e6,
    error: error === undefined ? undefined : redact(error),
  };
}

export const streamRoutes = [listStreams];

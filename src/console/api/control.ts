import { z } from 'zod';
import { pauseTargets, resumeTargets, triggerJobs, waitUntilTaken } from '../../../jobs/control.ts';
import { listJobs } from '../../../jobs/index.ts';
import type { ApiContext } from './api-context.ts';
import { isoOf, isoTime } from './fields.ts';
import { route } from './route.ts';

const someTargets = z.array(z.string().min(1)).max(1_000).describe('Names of streams and jobs.');
const targets = z.strictObject({ targets: someTargets.default([]) });

const listPauses = route({
  method: 'get',
  path: '/pauses',
  id: 'listPauses',
  summary: 'Lists what the service does not begin until somebody resumes it; `*` is everything.',
  reply: z.object({ items: z.array(z.object({ target: z.string(), since: isoTime() })) }),
  handle: async ({ ledger }) => ({
    items: (await ledger.control.readPauses()).map(({ target, since }) => ({ target, since: isoOf(since) })),
  }),
});

const pause = route({
  method: 'post',
  path: '/pause',
  id: 'pause',
  summary: 'Lets the service begin no runs of streams or jobs; without targets, of none.',
  body: targets,
  reply: z.object({ paused: z.array(z.string()) }),
  handle: async (ctx, { body }) => ({
    paused: [...(await pauseTargets(ctx.ledger.control, jobsOf(ctx), body.targets))],
  }),
});

const resume = route({
  method: 'post',
  path: '/resume',
  id: 'resume',
  summary: 'Ends pauses of streams and jobs; without targets, all pauses.',
  body: targets,
  reply: z.object({ resumed: z.array(z.string()), left: z.array(z.string()) }),
  handle: (ctx, { body }) => resumeTargets(ctx.ledger.control, jobsOf(ctx), body.targets),
});

const trigger = route({
  method: 'post',
  path: '/trigger',
  id: 'trigger',
  summary: 'Lets the service run streams or jobs now, and waits some seconds until it has begun.',
  body: z.strictObject({ targets: someTargets.min(1) }),
  reply: z.object({
    jobs: z.array(z.string()),
    taken: z.boolean().describe('False if no service has taken the jobs yet.'),
  }),
  async handle(ctx, { body, signal }) {
    const { control } = ctx.ledger;
    const { jobs, ids } = await triggerJobs(control, jobsOf(ctx), body.targets);
    return { jobs, taken: await waitUntilTaken(control, ids, signal) };
  },
});

function jobsOf({ config, kinds }: ApiContext) {
  return listJobs(config, kinds);
}

export const controlRoutes = [listPauses, pause, resume, trigger];

import type { Config, Selection } from '../src/config/config-schema.ts';
import { countDue } from '../src/queue/next-run.ts';
import type { SyncContext } from '../src/sync/context.ts';
import { kindOfPoll, pollCurrent } from '../src/sync/polls/poll-current.ts';
import { CURRENT } from '../src/sync/stream-names.ts';
import { tryLedger } from '../src/sync/try-ledger.ts';
import type { Job } from './job.ts';
import { directoryOfSeries } from './scan.ts';

/** Lists one job for each selection whose current values are polled. */
export function listPolls(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) =>
    selection.current.enabled ? [makePoll(config, selection, index)] : [],
  );
}

function makePoll(config: Config, selection: Selection, index: number): Job {
  const { schedule } = selection.current;
  const recorded = { stream: CURRENT, kind: kindOfPoll(selection) };
  return {
    name: `poll-${index + 1}`,
    queue: 'live',
    schedule,
    needs: directoryOfSeries(config, selection),
    recorded,
    outlastsLedger: true,
    async run(ctx) {
      const skipped = await countSkipped(ctx, { schedule, recorded });
      return pollCurrent(ctx, { selection, skipped });
    },
  };
}

/**
 * Postgres dates a run, and its clock may be a little behind. A due time so soon after the begin of a run is
 * the run's own.
 */
const OWN_TIME_MS = 500;

/**
 * Counts the polls that did not take place because an earlier poll, of any process, was still under way. This
 * poll makes up for one of them if the schedule has not fired since. Returns 0 if the ledger does not answer.
 */
async function countSkipped(
  ctx: SyncContext,
  { schedule, recorded }: Pick<Job, 'schedule' | 'recorded'>,
): Promise<number> {
  const before = await tryLedger(ctx, () => ctx.ledger.runs.readNewest(recorded));
  if (before?.finishedAt === undefined) return 0;
  const { timezone } = ctx.config.schedule;
  const afterMs = before.startedAt / 1000 + OWN_TIME_MS;
  const during = countDue(schedule, { afterMs, untilMs: before.finishedAt / 1000, timezone });
  const untilNow = countDue(schedule, { afterMs, untilMs: ctx.clock() / 1000, timezone });
  return Math.max(0, Math.min(during, untilNow - 1));
}

import type { Schedule } from '../src/config/schedule.ts';
import type { Config, Selection } from '../src/config/schema.ts';
import { countDue } from '../src/queue/next-run.ts';
import { kindOfPoll, pollCurrent } from '../src/sync/poll.ts';
import { CURRENT } from '../src/sync/write-poll.ts';
import type { Job } from './job.ts';
import { directoryOfSeries } from './scan.ts';

/** One job for each selection whose current values are polled. */
export function listPolls(config: Config): Job[] {
  return config.runtime.flatMap((selection, index) =>
    selection.current.enabled ? [makePoll(config, selection, index)] : [],
  );
}

function makePoll(config: Config, selection: Selection, index: number): Job {
  const { schedule } = selection.current;
  const { timezone } = config.schedule;
  let begunMs: number | undefined;
  return {
    name: `poll-${index + 1}`,
    queue: 'live',
    schedule,
    needs: directoryOfSeries(config, selection),
    recorded: { stream: CURRENT, kind: kindOfPoll(selection) },
    outlastsLedger: true,
    run(ctx) {
      const nowMs = ctx.clock() / 1000;
      const skipped = begunMs === undefined ? 0 : countSkipped(schedule, { begunMs, nowMs, timezone });
      begunMs = nowMs;
      return pollCurrent(ctx, { selection, skipped });
    },
  };
}

/** Times that the schedule had between two polls, both left out: that many polls did not take place. */
function countSkipped(
  schedule: Schedule,
  { begunMs, nowMs, timezone }: { begunMs: number; nowMs: number; timezone: string },
): number {
  return Math.max(0, countDue(schedule, { afterMs: begunMs, untilMs: nowMs, timezone }) - 1);
}

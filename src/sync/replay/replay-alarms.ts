import type { RejectRecord } from '../../ledger/rejects/rejects.ts';
import { deliverEvents, takersOf } from '../alarms/deliver-events.ts';
import { fillAlarms, HISTORY_REJECT } from '../alarms/fill-alarms.ts';
import { CURRENT_REJECT, pollAlarms } from '../alarms/poll-alarms.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import { judge, type Replay } from './replay-result.ts';

/**
 * Tries rejects of alarms again. Rejects of polls lead to one more poll. Rejects of the history lead to one
 * more read of the range that the record was in. Events that a store refused are not sent again: their rows
 * are in Postgres.
 */
export async function replayAlarms(ctx: SyncContext, rejects: readonly RejectRecord[]): Promise<Replay> {
  const ofKind = (kind: string) => rejects.filter((reject) => reject.kind === kind);
  const runs: RunSummary[] = [];
  if (ofKind(CURRENT_REJECT).length > 0) runs.push(await pollAlarms(ctx));
  const ofHistory = ofKind(HISTORY_REJECT).filter(({ ranges }) => ranges !== undefined);
  for (const reject of ofHistory) {
    const reads: RunSummary[] = [];
    for (const { from, to } of reject.ranges ?? [])
      reads.push(await fillAlarms(ctx, { mode: 'backfill', from, to, force: true }));
    runs.push(...reads);
    // A reject that was met again has another count by now, and stays open.
    if (reads.every(({ status, rejects: met }) => status === 'done' || met > 0))
      await ctx.ledger.rejects.resolve([reject]);
  }
  if (takersOf(ctx).length > 0) runs.push(await deliverEvents(ctx));
  const problem = runs.find(({ status }) => status !== 'done')?.problems[0];
  const noteOf = ({ kind }: RejectRecord) =>
    kind === CURRENT_REJECT || kind === HISTORY_REJECT
      ? (problem ?? 'the range of the history is not known')
      : 'the store refused the event for good; its row is in alarm_events of Postgres';
  return { cases: await judge(ctx, rejects, noteOf), runs };
}

import { HISTORY } from '../../series/history-stream.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { readsAlarms } from '../alarms/alarm-settings.ts';
import { deliverEvents, takersOf } from '../alarms/deliver-events.ts';
import { fillAlarms } from '../alarms/fill-alarms.ts';
import { pollAlarms } from '../alarms/poll-alarms.ts';
import type { SyncContext } from '../context.ts';
import type { SnapshotOptions } from '../directory/finish-scan.ts';
import { syncSnapshot, syncStream } from '../directory/sync-stream.ts';
import { fillHistory } from '../history/fill-history.ts';
import { deliverPolls } from '../polls/deliver-polls.ts';
import { pollCurrent } from '../polls/poll-current.ts';
import { othersOf } from '../polls/write-poll.ts';
import { keepRollupsAfter } from '../rollups/keep-rollups.ts';
import type { RunSummary } from '../run-summary.ts';
import { ALARMS, CURRENT } from '../stream-names.ts';

/** Adds the summary of a delivery to the summary of the read before it. A user sees both as one row. */
function addDelivery(read: RunSummary, delivery: RunSummary): RunSummary {
  const problems = [...read.problems, ...delivery.problems];
  const status = read.status === 'done' && delivery.status !== 'done' ? 'partial' : read.status;
  return {
    ...read,
    status,
    problems,
    points: { ...read.points, ...delivery.points },
    seconds: read.seconds + delivery.seconds,
  };
}

/** Reads the alarms. The poll comes first, so that the history confirms at once which alarms are missing. */
async function syncAlarms(ctx: SyncContext, options: SnapshotOptions): Promise<RunSummary[]> {
  const { current, history } = ctx.config.alarms;
  // If neither polls nor history are enabled, the user has asked for alarms by name, and both are read.
  const none = !readsAlarms(ctx.config);
  const summaries: RunSummary[] = [];
  if (current.enabled || none) summaries.push(await pollAlarms(ctx, options));
  if (history.enabled || none)
    summaries.push(await fillAlarms(ctx, { mode: 'increment', again: 'lookback' }));
  const last = summaries.pop();
  if (last === undefined) return [];
  return [...summaries, takersOf(ctx).length === 0 ? last : addDelivery(last, await deliverEvents(ctx))];
}

export interface OnceOptions extends Omit<SnapshotOptions, 'periodMs'> {
  /**
   * Returns the milliseconds between two scans of a list in the service. The default, 0, means that no scan
   * follows.
   */
  readonly periodOf?: (stream: Stream) => number;
}

/**
 * Syncs the named streams one after the other: parents before their children, the directory before values.
 */
export async function syncStreams(
  ctx: SyncContext,
  names: readonly string[],
  { periodOf, ...options }: OnceOptions = {},
): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const stream of streams.filter(({ name }) => names.includes(name))) {
    // Details that are asked for by name are read for all rows. Otherwise the list brings those of its
    // changed rows.
    if (!stream.updates)
      summaries.push(...(await syncStream(ctx, stream, { ...options, periodMs: periodOf?.(stream) ?? 0 })));
    else summaries.push(await syncSnapshot(ctx, stream, { allDetails: true }));
  }
  if (names.includes(HISTORY)) {
    summaries.push(await fillHistory(ctx, { mode: 'increment', again: 'lookback' }));
    summaries.push(...(await keepRollupsAfter(ctx)));
  }
  if (names.includes(CURRENT)) {
    const poll = await pollCurrent(ctx);
    summaries.push(othersOf(ctx).length === 0 ? poll : addDelivery(poll, await deliverPolls(ctx)));
  }
  if (names.includes(ALARMS)) summaries.push(...(await syncAlarms(ctx, options)));
  return summaries;
}

/** Lists the names of the streams that the configuration switches on. */
export function enabledStreams({ config }: Pick<SyncContext, 'config'>): string[] {
  return [
    ...streams.map(({ name }) => name).filter((name) => config.streams[name]?.enabled),
    ...(config.runtime.some(({ history }) => history.enabled) ? [HISTORY] : []),
    ...(config.runtime.some(({ current }) => current.enabled) ? [CURRENT] : []),
    ...(readsAlarms(config) ? [ALARMS] : []),
  ];
}

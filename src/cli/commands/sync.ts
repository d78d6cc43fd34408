import { periodOfScans } from '../../../jobs/scan.ts';
import { UsageError } from '../../errors.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { streams } from '../../streams/index.ts';
import { ALARMS, readsAlarms } from '../../sync/alarms/alarm-settings.ts';
import { deliverEvents } from '../../sync/alarms/deliver-events.ts';
import { fillAlarms } from '../../sync/alarms/fill-alarms.ts';
import { pollAlarms } from '../../sync/alarms/poll-alarms.ts';
import type { SyncContext } from '../../sync/context.ts';
import { type SnapshotOptions, syncSnapshot, syncStream } from '../../sync/directory/sync-stream.ts';
import { fillHistory } from '../../sync/history/fill-history.ts';
import { deliverPolls } from '../../sync/polls/deliver-polls.ts';
import { pollCurrent } from '../../sync/polls/poll-current.ts';
import { CURRENT } from '../../sync/polls/write-poll.ts';
import type { RunSummary } from '../../sync/run-summary.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { checkReachable } from '../open/check-reachable.ts';
import { readDirectoryFirst } from '../open/read-directory-first.ts';
import { withContext } from '../open/session.ts';
import { requireKnown } from '../output/known-names.ts';
import { exitCodeOf, renderSummary } from '../output/summary-table.ts';

const syncableStreams = [...streams.map(({ name }) => name), HISTORY, CURRENT, ALARMS];

export interface SyncOptions extends CommonOptions {
  readonly acceptDeletes?: boolean;
}

/** `plantsync sync [stream…]`: brings streams up to date now; without names, all that are switched on. */
export async function sync(io: Io, names: readonly string[], options: SyncOptions): Promise<number> {
  requireKnown(names, syncableStreams);
  if (options.acceptDeletes && names.length === 0)
    throw new UsageError(
      '--accept-deletes needs the names of the streams whose missing rows are really gone.',
    );
  return withContext(io, options, async (ctx) => {
    await checkReachable(ctx.platform, ctx.signal);
    const asked = names.length > 0 ? names : enabledStreams(ctx);
    const directory = await readDirectoryFirst(io, ctx, { names: asked });
    const acceptDeletes = options.acceptDeletes ?? false;
    const summaries = [...directory, ...(await syncStreams(ctx, asked, { acceptDeletes }))];
    ctx.progress.close();
    print(io, options, { json: { streams: summaries }, lines: () => renderSummary(summaries) });
    return exitCodeOf(summaries);
  });
}

/** Streams one after the other, since each may need the one before: parents before children, the directory before values. */
export async function syncStreams(
  ctx: SyncContext,
  names: readonly string[],
  options: SnapshotOptions = {},
): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const stream of streams.filter(({ name }) => names.includes(name))) {
    // Details that are named themselves are read for all rows; else those of what changed come with their list.
    if (!stream.updates)
      summaries.push(
        ...(await syncStream(ctx, stream, { ...options, periodMs: periodOfScans(ctx, stream) })),
      );
    else summaries.push(await syncSnapshot(ctx, stream, { allDetails: true }));
  }
  if (names.includes(HISTORY))
    summaries.push(await fillHistory(ctx, { mode: 'increment', again: 'lookback' }));
  if (names.includes(CURRENT)) {
    const poll = await pollCurrent(ctx);
    summaries.push(ctx.config.influx === undefined ? poll : addDelivery(poll, await deliverPolls(ctx)));
  }
  if (names.includes(ALARMS)) summaries.push(...(await syncAlarms(ctx, options)));
  return summaries;
}

/** A poll comes first: what it finds missing, history can confirm at once. */
async function syncAlarms(ctx: SyncContext, options: SnapshotOptions): Promise<RunSummary[]> {
  const { current, history } = ctx.config.alarms;
  // Asked for by name, both are done even if neither runs by itself.
  const none = !readsAlarms(ctx.config);
  const summaries: RunSummary[] = [];
  if (current.enabled || none) summaries.push(await pollAlarms(ctx, options));
  if (history.enabled || none)
    summaries.push(await fillAlarms(ctx, { mode: 'increment', again: 'lookback' }));
  const last = summaries.pop();
  if (last === undefined) return [];
  return [...summaries, ctx.config.influx === undefined ? last : addDelivery(last, await deliverEvents(ctx))];
}

/** What was read and its delivery to the other stores are one thing to the reader of the summary. */
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

/** Names of what the configuration switches on. */
export function enabledStreams({ config }: Pick<SyncContext, 'config'>): string[] {
  return [
    ...streams.map(({ name }) => name).filter((name) => config.streams[name]?.enabled),
    ...(config.runtime.some(({ history }) => history.enabled) ? [HISTORY] : []),
    ...(config.runtime.some(({ current }) => current.enabled) ? [CURRENT] : []),
    ...(readsAlarms(config) ? [ALARMS] : []),
  ];
}

import type { RejectRecord } from '../../ledger/rejects/rejects.ts';
import { parseHistoryStream } from '../../series/history-stream.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { keyText } from '../../streams/row-key.ts';
import type { SyncContext } from '../context.ts';
import { syncSnapshot } from '../directory/sync-stream.ts';
import { deliverPolls } from '../polls/deliver-polls.ts';
import { pollCurrent } from '../polls/poll-current.ts';
import { ALARMS, CURRENT } from '../stream-names.ts';
import { replayAlarms } from './replay-alarms.ts';
import { replayPoints } from './replay-points.ts';
import { judge, type Replay, type Replayed } from './replay-result.ts';

/** Key of the reject that counts everything beyond the bound. */
const MANY = '*';

/**
 * Tries rejects again. Lists are scanned, and the details of the rows concerned are read. The ranges of
 * refused points are read and written once more. Current values are polled. A reject that does not recur is
 * closed.
 */
export async function replayRejects(ctx: SyncContext, rejects: readonly RejectRecord[]): Promise<Replay> {
  const ofStream = (name: string) => rejects.filter((reject) => reject.stream === name);
  const replays: Replay[] = [];
  for (const stream of streams) {
    const own = ofStream(stream.name);
    if (own.length > 0) replays.push(await (stream.updates ? replayDetails : replayList)(ctx, stream, own));
  }
  for (const name of new Set(rejects.map(({ stream }) => stream))) {
    const stream = parseHistoryStream(name);
    if (stream !== undefined) replays.push(await replayPoints(ctx, stream, ofStream(name)));
  }
  const [polls, ofAlarms] = [ofStream(CURRENT), ofStream(ALARMS)];
  if (polls.length > 0) replays.push(await replayPolls(ctx, polls));
  if (ofAlarms.length > 0) replays.push(await replayAlarms(ctx, ofAlarms));
  const known = new Set([...streams.map(({ name }) => name), CURRENT, ALARMS]);
  const unknown = rejects
    .filter(({ stream }) => !known.has(stream) && parseHistoryStream(stream) === undefined)
    .map((reject): Replayed => ({ reject, outcome: 'open', note: 'there is no such stream any more' }));
  return {
    cases: [...replays.flatMap(({ cases }) => cases), ...unknown],
    runs: replays.flatMap(({ runs }) => runs),
  };
}

/**
 * Scans a list again. A complete scan closes the rejects that it does not meet. So it must be a whole scan,
 * and not the rest of an interrupted one.
 */
async function replayList(
  ctx: SyncContext,
  stream: Stream,
  rejects: readonly RejectRecord[],
): Promise<Replay> {
  await ctx.ledger.scans.close(stream.name);
  const run = await syncSnapshot(ctx, stream, { comparesAll: true });
  const cases = await judge(ctx, rejects, () => run.problems[0] ?? 'the list was not read to its end');
  return { cases, runs: [run] };
}

/** Reads the details of the rows concerned again. All details of a large plant would take many requests. */
async function replayDetails(
  ctx: SyncContext,
  stream: Stream,
  rejects: readonly RejectRecord[],
): Promise<Replay> {
  const { reads } = ctx.ledger;
  const keys = new Set(rejects.map(({ key }) => key));
  const readBefore = [...(await reads.list(stream.name)).keys()];
  await reads.forget(
    stream.name,
    readBefore.filter((parent) => keys.has(keyOf(parent))),
  );
  const run = await syncSnapshot(ctx, stream, { allDetails: keys.has(MANY), comparesAll: true });
  const readNow = new Set([...(await reads.list(stream.name)).keys()].map(keyOf));
  await ctx.ledger.rejects.resolve(rejects.filter(({ key }) => readNow.has(key)));
  const cases = await judge(
    ctx,
    rejects,
    () => run.problems[0] ?? `the row was not read; plantsync sync ${stream.name} reads all rows`,
  );
  return { cases, runs: [run] };
}

/** Returns the key of a parent row in the form that rejects have. */
function keyOf(parent: string): string {
  return keyText(JSON.parse(parent) as unknown[]);
}

/**
 * Polls once more. A poll that a store refused cannot be read again, since polls are not history. The next
 * poll tells whether the reject recurs.
 */
async function replayPolls(ctx: SyncContext, rejects: readonly RejectRecord[]): Promise<Replay> {
  const poll = await pollCurrent(ctx);
  const runs = poll.status === 'failed' ? [poll] : [poll, await deliverPolls(ctx)];
  const problem = runs.find((run) => run !== poll || run.status === 'failed')?.problems[0];
  if (problem === undefined) await ctx.ledger.rejects.resolve(rejects);
  return { cases: await judge(ctx, rejects, () => problem ?? 'the reject came again in the meantime'), runs };
}

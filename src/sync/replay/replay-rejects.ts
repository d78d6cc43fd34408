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

/** Key of the case that counts what is beyond the bound. */
const MANY = '*';

/**
 * Tries again what was refused: lists are scanned, details of the rows concerned are read, the ranges of refused points are
 * read and written once more, current values are polled. A case that does not recur is settled.
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

/** A complete scan settles by itself what it does not meet; so it must be a whole one, not the rest of one that was cut. */
async function replayList(
  ctx: SyncContext,
  stream: Stream,
  rejects: readonly RejectRecord[],
): Promise<Replay> {
  await ctx.ledger.scans.close(stream.name);
  const run = await syncSnapshot(ctx, stream);
  const cases = await judge(ctx, rejects, () => run.problems[0] ?? 'the list was not read to its end');
  return { cases, runs: [run] };
}

/** Only the rows concerned are asked for again: all details of a large plant are many requests. */
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
  const run = await syncSnapshot(ctx, stream, { allDetails: keys.has(MANY) });
  const readNow = new Set([...(await reads.list(stream.name)).keys()].map(keyOf));
  await ctx.ledger.rejects.resolve(rejects.filter(({ key }) => readNow.has(key)));
  const cases = await judge(
    ctx,
    rejects,
    () => run.problems[0] ?? `its row was not read; plantsync sync ${stream.name} reads all rows`,
  );
  return { cases, runs: [run] };
}

/** The key of a parent row as rejects have it. */
function keyOf(parent: string): string {
  return keyText(JSON.parse(parent) as unknown[]);
}

/** What a store refused of polls is not asked for again, since polls are not history: the next poll tells whether it recurs. */
async function replayPolls(ctx: SyncContext, rejects: readonly RejectRecord[]): Promise<Replay> {
  const poll = await pollCurrent(ctx);
  const runs = poll.status === 'failed' ? [poll] : [poll, await deliverPolls(ctx)];
  const problem = runs.find((run) => run !== poll || run.status === 'failed')?.problems[0];
  if (problem === undefined) await ctx.ledger.rejects.resolve(rejects);
  return { cases: await judge(ctx, rejects, () => problem ?? 'it came again meanwhile'), runs };
}

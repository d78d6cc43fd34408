import type { HistoryStream } from '../../series/history-stream.ts';
import type { ReplySizes } from '../../series/reply-sizes.ts';
import type { Batch } from '../../series/window-planner.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import { keepRate, type Tally } from './fill-rate.ts';
import { groupBy } from './group-by.ts';
import { sizeKeyOf, withReplySizes } from './learn-reply-sizes.ts';
import { type Destination, keyOfStores } from './plan-fill.ts';
import { PointSink } from './point-sink.ts';
import { readInWindows } from './read-in-windows.ts';
import { UnreadableWindows } from './unreadable-windows.ts';
import { WindowClaims } from './window-claims.ts';

export interface FillWork {
  readonly batches: readonly Batch<Destination>[];
  /** When to stop reading what only some of the stores lack, epoch microseconds; it stays uncovered and is planned by the next run. */
  readonly catchUpUntil?: number | undefined;
  /** A part of a larger filling: its rate is none that says much. */
  readonly isPart?: boolean;
}

interface Filling extends FillWork {
  readonly sink: PointSink;
  readonly unreadable: UnreadableWindows;
  readonly claims: WindowClaims;
}

/**
 * Reads what was planned and writes it to the stores that lack it; what is learnt on the way is kept, also if it ends early. What all
 * stores lack comes first, so that one that was away for long, or is new, does not hold up the others.
 */
export async function fillBatches(ctx: SyncContext, summary: RunSummary, work: FillWork): Promise<void> {
  const sink = new PointSink(ctx, summary);
  const unreadable = new UnreadableWindows();
  const claims = new WindowClaims(ctx);
  try {
    for (const { stream, batches } of groupByStream(work.batches))
      await fillStream(ctx, stream, { ...work, batches, sink, unreadable, claims });
  } finally {
    summary.problems.push(...unreadable.describe());
    try {
      await sink.finish();
    } finally {
      await claims.end();
    }
  }
}

/** Batches that are read alike. */
export interface StreamBatches {
  /** One of their streams. */
  readonly stream: HistoryStream;
  readonly batches: Batch<Destination>[];
}

/** Streams apart: their rows have other densities, and what is learnt of the one does not hold for the other. */
export function groupByStream(batches: readonly Batch<Destination>[]): StreamBatches[] {
  // All aggregates over one period are read alike.
  const groups = groupBy(batches, ({ tag: { stream } }) => `${sizeKeyOf(stream)} ${stream.stepSec}`);
  return groups.map((group) => ({ stream: group[0].tag.stream, batches: group }));
}

/** Fills batches that are read alike, and keeps how fast that went. */
async function fillStream(ctx: SyncContext, stream: HistoryStream, filling: Filling): Promise<void> {
  const tally: Tally = { requests: 0, rows: 0, seriesSec: 0 };
  const startedMs = steadyMs();
  try {
    await withReplySizes(ctx, stream, (replySizes) => fillInTurn(ctx, { ...filling, replySizes, tally }));
  } finally {
    if (!filling.isPart) await keepRate(ctx, stream, { tally, seconds: (steadyMs() - startedMs) / 1000 });
  }
}

async function fillInTurn(
  ctx: SyncContext,
  filling: Filling & { readonly replySizes: ReplySizes; readonly tally: Tally },
): Promise<void> {
  const { batches, catchUpUntil, ...parts } = filling;
  // Apart for every set of stores, or the windows that wait for one store would take the places of the others'.
  const read = async (some: readonly Batch<Destination>[], until?: number) => {
    const groups = groupBy(some, ({ tag }) => keyOfStores(tag.stores));
    const reads = groups.map((group) => readInWindows(ctx, { ...parts, batches: group, until }));
    for (const outcome of await Promise.allSettled(reads))
      if (outcome.status === 'rejected') throw outcome.reason;
  };
  const isForAll = ({ tag }: Batch<Destination>) => tag.stores.length === ctx.stores.length;
  await read(batches.filter(isForAll));
  await read(
    batches.filter((batch) => !isForAll(batch)),
    catchUpUntil,
  );
  const behind = parts.sink.takeBehind();
  // What was stored before is not missing anywhere: if it is not read again now, nothing remembers that it should be.
  await read(behind.filter(({ tag }) => !tag.fresh));
  await read(
    behind.filter(({ tag }) => tag.fresh),
    catchUpUntil,
  );
  await parts.sink.drain();
}

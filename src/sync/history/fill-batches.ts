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
  /**
   * When to stop reading what only some stores lack (epoch microseconds). The rest stays uncovered, and the
   * next run plans it.
   */
  readonly catchUpUntil?: number | undefined;
  /**
   * Whether the batches are a part of a larger filling. The rate of a part says little, so it is not kept.
   */
  readonly isPart?: boolean;
}

interface Filling extends FillWork {
  readonly sink: PointSink;
  readonly unreadable: UnreadableWindows;
  readonly claims: WindowClaims;
}

/**
 * Reads the planned batches in windows, and writes the windows to the stores that lack them.
 *
 * 1. Batches that are read alike form a group. The groups are filled one after the other.
 * 2. Batches that all stores lack are read first, so that a new store does not hold up the others.
 * 3. Batches that only some stores lack come next, until `catchUpUntil`.
 * 4. Windows that were skipped for slow stores are read again. Those that were stored before come first.
 * 5. Each group ends when the stores have acknowledged its windows.
 * 6. The ledger keeps what was learned: the reply sizes, and the rate unless `isPart` is set.
 * 7. At the end, the sink writes the windows that wait, and the claims are released.
 *
 * Steps 6 and 7 are also taken after an error.
 */
export async function fillBatches(ctx: SyncContext, summary: RunSummary, work: FillWork): Promise<void> {
  const sink = new PointSink(ctx, summary);
  const unreadable = new UnreadableWindows();
  const claims = new WindowClaims(ctx);
  try {
    for (const { stream, batches } of groupByStream(work.batches))
      await fillStream(ctx, stream, { ...work, batches, sink, unreadable, claims });
  } finally {
    unreadable.tellIn(summary);
    try {
      await sink.finish();
    } finally {
      await claims.end();
    }
  }
}

/** Batches that are read alike. */
export interface StreamBatches {
  /** One of the streams of the batches. */
  readonly stream: HistoryStream;
  readonly batches: Batch<Destination>[];
}

/**
 * Groups batches by stream. Streams have different densities, and what is learned about one does not hold for
 * another.
 */
export function groupByStream(batches: readonly Batch<Destination>[]): StreamBatches[] {
  // All aggregates over one period are read alike.
  const groups = groupBy(batches, ({ tag: { stream } }) => `${sizeKeyOf(stream)} ${stream.stepSec}`);
  return groups.map((group) => ({ stream: group[0].tag.stream, batches: group }));
}

/** Fills batches that are read alike, and keeps their rate. */
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
  // Each set of stores is read apart. Otherwise windows that wait for one store would take the places of
  // other windows.
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
  // Stored windows that are read again come first. They are no gap, so no later run would read them.
  await read(behind.filter(({ tag }) => !tag.fresh));
  await read(
    behind.filter(({ tag }) => tag.fresh),
    catchUpUntil,
  );
  await parts.sink.drain();
}

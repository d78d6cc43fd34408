import { readAhead } from '../../read-ahead.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import type { ReplySizes } from '../../series/reply-sizes.ts';
import { type Batch, seriesHoursOf } from '../../series/window-planner.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import { keepRate, type Tally } from './fill-rate.ts';
import { groupBy } from './group-by.ts';
import { sizeKeyOf, withReplySizes } from './learn-reply-sizes.ts';
import { type Destination, keyOfStores } from './plan-fill.ts';
import type { Portion } from './plan-order.ts';
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

export interface PortionsWork extends Omit<FillWork, 'batches'> {
  /** Plans the portions. It is called again if there is more than one, for what only some stores lack. */
  readonly plan: () => AsyncIterable<Portion>;
  /** Is called if there is more than one portion. The function that it returns is called at the end. */
  readonly onMany?: (() => () => void) | undefined;
}

/** Which of the batches are read: those that all stores lack, those that only some lack, or both in turn. */
type Turn = 'all' | 'some' | 'both';

interface Filling extends Omit<FillWork, 'batches'> {
  readonly sink: PointSink;
  readonly unreadable: UnreadableWindows;
  readonly claims: WindowClaims;
  /** What was read so far of the streams that are read alike, by their key. */
  readonly works: Map<string, StreamWork>;
}

interface StreamWork {
  readonly tally: Tally;
  seconds: number;
}

/** Reads the planned batches in windows, and writes the windows to the stores that lack them. */
export async function fillBatches(
  ctx: SyncContext,
  summary: RunSummary,
  { batches, ...work }: FillWork,
): Promise<void> {
  const plan = async function* () {
    if (batches.length > 0) yield { batches, isLast: true };
  };
  await fillPortions(ctx, summary, { ...work, plan });
}

/**
 * Reads planned portions in windows, and writes the windows to the stores that lack them. Tells whether there
 * was no portion.
 *
 * 1. Batches of a portion that are read alike form a group. The groups are filled one after the other.
 * 2. Batches that all stores lack are read first, so that a new store does not hold up the others.
 * 3. Batches that only some stores lack come next, until `catchUpUntil`. If there are several portions, they
 *    come when all portions are through, and are planned again for that.
 * 4. Windows that were skipped for slow stores are read again. Those that were stored before come first.
 * 5. Each group ends when the stores have acknowledged its windows.
 * 6. The ledger keeps what was learned: the reply sizes, and the rate unless `isPart` is set.
 * 7. At the end, the sink writes the windows that wait, and the claims are released.
 *
 * Steps 6 and 7 are also taken after an error. At most two portions are in memory: one is planned while the
 * other is read.
 */
export async function fillPortions(
  ctx: SyncContext,
  summary: RunSummary,
  { plan, onMany, ...work }: PortionsWork,
): Promise<{ isEmpty: boolean }> {
  const sink = new PointSink(ctx, summary);
  const unreadable = new UnreadableWindows();
  const claims = new WindowClaims(ctx);
  const filling = { ...work, sink, unreadable, claims, works: new Map() };
  let onEnd: (() => void) | undefined;
  try {
    let portions = 0;
    let isSomeLeft = false;
    for await (const { batches, isLast } of readAhead(plan())) {
      portions += 1;
      const isSingle = isLast && portions === 1;
      if (isSingle) ctx.progress.plan?.(seriesHoursOf(batches));
      else onEnd ??= onMany?.();
      const isLeft = await fillPortion(ctx, batches, { ...filling, turn: isSingle ? 'both' : 'all' });
      isSomeLeft ||= isLeft;
    }
    if (isSomeLeft && !isOver(ctx, work.catchUpUntil)) {
      for await (const { batches } of readAhead(plan())) {
        await fillPortion(ctx, batches, { ...filling, turn: 'some' });
        if (isOver(ctx, work.catchUpUntil)) break;
      }
    }
    return { isEmpty: portions === 0 };
  } finally {
    onEnd?.();
    unreadable.tellIn(summary);
    try {
      await sink.finish();
    } finally {
      await claims.end();
    }
  }
}

function isOver({ clock }: SyncContext, until: number | undefined): boolean {
  return until !== undefined && clock() >= until;
}

/** Fills the batches of a portion whose turn it is. Tells whether batches are left for the other turn. */
async function fillPortion(
  ctx: SyncContext,
  batches: readonly Batch<Destination>[],
  filling: Filling & { readonly turn: Turn },
): Promise<boolean> {
  let isLeft = false;
  for (const { stream, batches: alike } of groupByStream(batches))
    isLeft = (await fillStream(ctx, stream, { ...filling, batches: alike })) || isLeft;
  return isLeft;
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
  const groups = groupBy(batches, ({ tag: { stream } }) => alikeKeyOf(stream));
  return groups.map((group) => ({ stream: group[0].tag.stream, batches: group }));
}

function alikeKeyOf(stream: HistoryStream): string {
  return `${sizeKeyOf(stream)} ${stream.stepSec}`;
}

interface StreamFilling extends Filling {
  readonly batches: readonly Batch<Destination>[];
  readonly turn: Turn;
}

/** Fills batches that are read alike, and keeps their rate. Tells whether any are left for the other turn. */
async function fillStream(ctx: SyncContext, stream: HistoryStream, filling: StreamFilling): Promise<boolean> {
  const work: StreamWork = filling.works.get(alikeKeyOf(stream)) ?? {
    tally: { requests: 0, rows: 0, seriesSec: 0 },
    seconds: 0,
  };
  filling.works.set(alikeKeyOf(stream), work);
  const { tally } = work;
  const startedMs = steadyMs();
  let isLeft = false;
  try {
    await withReplySizes(ctx, stream, async (replySizes) => {
      isLeft = await fillInTurn(ctx, { ...filling, replySizes, tally });
    });
  } finally {
    work.seconds += (steadyMs() - startedMs) / 1000;
    if (!filling.isPart) await keepRate(ctx, stream, work);
  }
  return isLeft;
}

async function fillInTurn(
  ctx: SyncContext,
  filling: StreamFilling & { readonly replySizes: ReplySizes; readonly tally: Tally },
): Promise<boolean> {
  const { batches, catchUpUntil, turn, ...parts } = filling;
  // Each set of stores is read apart. Otherwise windows that wait for one store would take the places of
  // other windows.
  const read = async (some: readonly Batch<Destination>[], until?: number) => {
    const groups = groupBy(some, ({ tag }) => keyOfStores(tag.stores));
    const reads = groups.map((group) => readInWindows(ctx, { ...parts, batches: group, until }));
    for (const outcome of await Promise.allSettled(reads))
      if (outcome.status === 'rejected') throw outcome.reason;
  };
  const isForAll = ({ tag }: Batch<Destination>) => tag.stores.length === ctx.stores.length;
  const forAll = turn === 'some' ? [] : batches.filter(isForAll);
  const forSome = batches.filter((batch) => !isForAll(batch) && parts.sink.accepts(batch.tag));
  await read(forAll);
  if (turn !== 'all') await read(forSome, catchUpUntil);
  const behind = parts.sink.takeBehind();
  // Stored windows that are read again come first. They are no gap, so no later run would read them.
  await read(behind.filter(({ tag }) => !tag.fresh));
  const gaps = behind.filter(({ tag }) => tag.fresh);
  if (turn !== 'all') await read(gaps, catchUpUntil);
  await parts.sink.drain();
  return turn === 'all' && forSome.length + gaps.length > 0;
}

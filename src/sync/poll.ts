import type { Selection } from '../config/schema.ts';
import type { PolledValue } from '../extract/current.ts';
import type { PointStore, Transaction } from '../load/store.ts';
import { createTyper } from '../normalize/points.ts';
import { type Quality, type SeriesPoints, seriesName } from '../series/types.ts';
import type { SyncContext } from './context.ts';
import { deliverItems, queueItems } from './outbox-items.ts';
import { recordRun } from './run.ts';
import { nameOfSelection } from './series-catalog.ts';
import type { RunSummary } from './summary.ts';

/** Stream name of polled values. */
export const CURRENT = 'current';
/** Kind of the runs that bring polls to other stores. */
export const DELIVERY = 'delivery';
/** Polls kept for a store that is down, per store; beyond it the oldest are dropped and counted. */
const OUTBOX_ENTRIES = 100_000;
/** A stated time may be so far ahead of the platform's clock. */
const FUTURE_MICROS = 60e6;

/** Stores that get their polls from the outbox. */
function othersOf(ctx: SyncContext): PointStore[] {
  return ctx.stores.filter((store) => store !== ctx.postgresStore);
}

/**
 * Looks at the current values of one selection, or of all, and keeps them: in Postgres in one transaction with what the
 * other stores still have to get (`deliverPolls`), so that an outage of those neither loses nor delays a poll.
 */
export async function pollCurrent(ctx: SyncContext, selection?: Selection): Promise<RunSummary> {
  return recordRun(ctx, { stream: CURRENT, kind: kindOfPoll(selection) }, async (summary) => {
    const selected = (await ctx.catalog.select()).filter(
      (each) => each.selection.current.enabled && (selection === undefined || each.selection === selection),
    );
    const poll = await ctx.currentReader.read(
      selected.flatMap(({ series }) => series),
      ctx.signal,
    );
    summary.records = poll.values.length;
    noteMissing(
      summary,
      poll.missing.map(({ series, reason }) => ({ name: seriesName(series), object: series.object, reason })),
    );
    const points = poll.values.map((value) => toPoint(ctx, value));
    const { written } = await ctx.postgresStore.writePolls(points, async (tx) => {
      for (const store of othersOf(ctx)) await addToOutbox(ctx, { store, points, tx });
    });
    summary.points[ctx.postgresStore.kind] = written;
  });
}

/** Kind of a run in the ledger, by which the service finds when it was done last. */
export function kindOfPoll(selection: Selection | undefined): string {
  return selection === undefined ? 'poll' : `poll ${nameOfSelection(selection)}`;
}

/** One sentence for each object that could not be had, not one for each of its properties. */
function noteMissing(
  summary: RunSummary,
  missing: readonly { name: string; object: string; reason: string }[],
): void {
  const byObject = new Map<string, { object: string; name: string; reason: string; count: number }>();
  for (const each of missing) {
    const key = `${each.object}\n${each.reason}`;
    byObject.set(key, { ...each, count: (byObject.get(key)?.count ?? 0) + 1 });
  }
  for (const { object, name, reason, count } of byObject.values()) {
    summary.problems.push(
      `${count === 1 ? name : `${count} properties of ${object}`} cannot be read: ${reason}`,
    );
  }
}

function toPoint(ctx: SyncContext, { series, current }: PolledValue): SeriesPoints {
  const { value, text, quality } = createTyper(series.primitiveType)(current.value);
  return { series, times: [timeOf(ctx, current.time)], values: [value], texts: [text], qualities: [quality] };
}

/** The reply's own time, else the time of receipt. A time in the future would hide all later polls, so it is not taken. */
function timeOf(ctx: SyncContext, stated: unknown): number {
  const time = stated === undefined || stated === null ? Number.NaN : ctx.parseInstant(stated);
  const latest = ctx.clock() + Math.max(0, ctx.platform.clockSkewMs() ?? 0) * 1000 + FUTURE_MICROS;
  return time <= latest ? time : ctx.clock();
}

type OutboxPoint = [
  object: string,
  property: string,
  id: number,
  at: number,
  value: number | null,
  text: string | null,
  quality: Quality,
];

async function addToOutbox(
  ctx: SyncContext,
  {
    store,
    points,
    tx,
  }: {
    store: PointStore;
    points: readonly SeriesPoints[];
    tx: Transaction | undefined;
  },
): Promise<void> {
  const rows = points.map(
    ({ series, times, values, texts, qualities }): OutboxPoint => [
      series.object,
      series.property,
      series.id,
      times[0] ?? 0,
      values[0] ?? null,
      texts[0] ?? null,
      qualities[0] ?? null,
    ],
  );
  const queued = { store: store.id, items: rows, maxEntries: OUTBOX_ENTRIES };
  const dropped = await queueItems(ctx, queued, tx ?? ctx.db);
  if (dropped > 0)
    ctx.log.error({ store: store.id, dropped }, 'the outbox is full: the oldest polls were dropped');
}

/** Brings the polls that wait to their stores. */
export async function deliverPolls(ctx: SyncContext): Promise<RunSummary> {
  return recordRun(ctx, { stream: CURRENT, kind: DELIVERY }, async (summary) => {
    for (const store of othersOf(ctx)) await emptyOutbox(ctx, store, summary);
  });
}

async function emptyOutbox(ctx: SyncContext, store: PointStore, summary: RunSummary): Promise<void> {
  const write = async (points: OutboxPoint[]) => {
    const { written, refused } = await store.writePolls(points.map(fromOutbox));
    const rejects = refused.map(({ seriesId, reason, count, samples }) => ({
      stream: CURRENT,
      kind: store.kind,
      key: String(seriesId),
      reason,
      count,
      sample: samples,
    }));
    return { written, rejects };
  };
  const failure = await deliverItems(ctx, store.id, {
    write,
    onDelivered: ({ written }) => {
      summary.points[store.kind] = (summary.points[store.kind] ?? 0) + written;
    },
  });
  if (failure !== undefined) summary.problems.push(`${failure}; the polls wait in the outbox`);
}

function fromOutbox([object, property, id, at, value, text, quality]: OutboxPoint): SeriesPoints {
  const series = { id, object, property, primitiveType: null };
  return { series, times: [at], values: [value], texts: [text], qualities: [quality] };
}

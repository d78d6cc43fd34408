import type { ErrorCode } from '../../errors.ts';
import type { PointStore } from '../../load/stores/store.ts';
import type { Transaction } from '../../postgres/queryable.ts';
import type { Quality, SeriesPoints } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { queueItems } from '../outbox-items.ts';
import { CURRENT, LOST_POLLS } from '../stream-names.ts';
import type { LostPolls, PollPortion } from './poll-buffer.ts';

/** Polls kept for each store that is down. Beyond this number the oldest are dropped and counted. */
const OUTBOX_ENTRIES = 100_000;

/** The parts of the context that writing a poll needs. */
export type PollWriting = Pick<SyncContext, 'ledger' | 'postgresStore' | 'stores' | 'log' | 'metrics'>;

/** Lists the stores that get their polls from the outbox. */
export function othersOf({
  stores,
  postgresStore,
}: Pick<PollWriting, 'stores' | 'postgresStore'>): PointStore[] {
  return stores.filter((store) => store !== postgresStore);
}

/**
 * Writes a poll to Postgres, in one transaction with the outbox entries for the other stores. Returns the
 * number of values written to Postgres.
 */
export async function writePoll(writing: PollWriting, { points, repeats }: PollPortion): Promise<number> {
  const commit = async (tx: Transaction | undefined, kept: readonly SeriesPoints[]) => {
    for (const store of othersOf(writing)) await addToOutbox(writing, { store, points: kept, tx });
  };
  const { written } = await writing.postgresStore.writePolls(points, commit, repeats);
  return written;
}

/** A polled value in the form in which it waits in the outbox. */
export type OutboxPoint = [
  object: string,
  property: string,
  id: number,
  at: number,
  value: number | null,
  text: string | null,
  quality: Quality,
];

async function addToOutbox(
  { ledger, log }: PollWriting,
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
  if (tx === undefined) throw new Error('Postgres writes polls in a transaction');
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
  const dropped = await queueItems({ ledger }, queued, tx);
  if (dropped > 0)
    log.error(
      { store: store.id, code: 'sync.outbox_full' satisfies ErrorCode, dropped },
      'the outbox is full: the oldest polls were dropped',
    );
}

/** Keeps a reject for polls that are lost, since nothing else could tell of them later. */
export async function noteLostPolls({ ledger }: PollWriting, lost: LostPolls): Promise<void> {
  await ledger.rejects.add([
    {
      stream: CURRENT,
      kind: LOST_POLLS,
      key: 'all polled series',
      range: { from: lost.from, to: lost.to + 1 },
      reason: 'dropped from memory while PostgreSQL was away',
      count: lost.values,
      sample: { polls: lost.polls },
    },
  ]);
}

/** Makes points of a polled value that waited in the outbox. */
export function fromOutbox([object, property, id, at, value, text, quality]: OutboxPoint): SeriesPoints {
  const series = { id, object, property, primitiveType: null };
  return { series, times: [at], values: [value], texts: [text], qualities: [quality] };
}

import { isDeepStrictEqual } from 'node:util';
import { reasonOf } from '../../errors.ts';
import { type HistoryStream, rawHistory } from '../../series/history-stream.ts';
import { FIRST_SIZES, type LearnedSizes, ReplySizes } from '../../series/reply-sizes.ts';
import type { SyncContext } from '../context.ts';
import { rememberedFact } from '../remembered-fact.ts';

/** Proven sizes are proven again after this time, since the platform may have been updated. */
const MAX_AGE_US = 7 * 86_400e6;
/** Milliseconds between two saves of what a run has learned. */
const SAVE_MS = 1_000;

/**
 * Keys under which the ledger keeps what was learned. Aggregates have their own, since a platform may cut
 * their replies elsewhere.
 */
const keys = { raw: 'history-sizes', aggregate: 'aggregate-sizes' };
/** All keys of learned reply sizes. */
export const sizeKeys: readonly string[] = Object.values(keys);

export function sizeKeyOf({ aggregate }: HistoryStream): string {
  return aggregate === undefined ? keys.raw : keys.aggregate;
}

/** The learned reply sizes, and since when they are known (epoch microseconds). */
export interface KeptSizes {
  readonly lessons: LearnedSizes;
  readonly since: number;
}

/**
 * Loads what earlier runs learned about replies of history. Returns `FIRST_SIZES` if nothing was learned
 * lately.
 */
export async function loadReplySizes(
  ctx: SyncContext,
  stream: HistoryStream = rawHistory,
): Promise<KeptSizes> {
  const kept = await rememberedFact(ctx, sizeKeyOf(stream), isKept).load();
  if (kept !== undefined && Math.abs(ctx.clock() - kept.since) <= MAX_AGE_US) return kept;
  return { lessons: FIRST_SIZES, since: ctx.clock() };
}

/**
 * Does work that reads a stream, with the reply sizes that were learned. What the work learns is also saved
 * on the way, in case the run is killed.
 */
export async function withReplySizes(
  ctx: SyncContext,
  stream: HistoryStream,
  work: (replySizes: ReplySizes) => Promise<void>,
): Promise<void> {
  const kept = await loadReplySizes(ctx, stream);
  const replySizes = new ReplySizes(kept.lessons);
  let saved = kept.lessons;
  const save = async () => {
    const { learned } = replySizes;
    if (isDeepStrictEqual(learned, saved)) return;
    await rememberedFact(ctx, sizeKeyOf(stream), isKept).save({ ...kept, lessons: learned });
    saved = learned;
  };
  // Saves follow one another, so that the newest sizes stay.
  let saving = Promise.resolve();
  const onTheWay = setInterval(() => {
    saving = saving.then(save).catch((error: unknown) => {
      ctx.log.debug(
        { stream: stream.name, ...reasonOf(error) },
        'the learned reply sizes could not be saved; the next save tries again',
      );
    });
  }, SAVE_MS);
  try {
    await work(replySizes);
  } finally {
    clearInterval(onTheWay);
    await saving;
    await save();
  }
}

function isKept(value: unknown): value is KeptSizes {
  return typeof value === 'object' && value !== null && 'lessons' in value && 'since' in value;
}

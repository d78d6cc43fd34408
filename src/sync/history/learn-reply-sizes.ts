import { isDeepStrictEqual } from 'node:util';
import { reasonOf } from '../../errors.ts';
import { type HistoryStream, rawHistory } from '../../series/history-stream.ts';
import { FIRST_SIZES, type LearnedSizes, ReplySizes } from '../../series/reply-sizes.ts';
import type { SyncContext } from '../context.ts';
import { rememberedFact } from '../remembered-fact.ts';

/** What was proven is proven again after this time: a platform may be updated. */
const MAX_AGE_US = 7 * 86_400e6;
/** What was learnt lately is kept so often. */
const SAVE_MS = 1_000;

/** Under these keys the ledger has what was learnt; of aggregates apart, since a platform may cut their replies elsewhere. */
const keys = { raw: 'history-sizes', aggregate: 'aggregate-sizes' };
/** All of them. */
export const sizeKeys: readonly string[] = Object.values(keys);

export function sizeKeyOf({ aggregate }: HistoryStream): string {
  return aggregate === undefined ? keys.raw : keys.aggregate;
}

/** What was learnt, and since when (epoch microseconds). */
export interface KeptSizes {
  readonly lessons: LearnedSizes;
  readonly since: number;
}

/** What earlier runs learnt about the platform's history operation; the first beliefs if that is nothing, or old. */
export async function loadReplySizes(
  ctx: SyncContext,
  stream: HistoryStream = rawHistory,
): Promise<KeptSizes> {
  const kept = await rememberedFact(ctx, sizeKeyOf(stream), isKept).load();
  if (kept !== undefined && Math.abs(ctx.clock() - kept.since) <= MAX_AGE_US) return kept;
  return { lessons: FIRST_SIZES, since: ctx.clock() };
}

/** Does work that reads a stream with what was learnt of it; what it learns is kept on the way, so that a run that is killed leaves it. */
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
  // One after the other, so that what is kept is the latest.
  let saving = Promise.resolve();
  const onTheWay = setInterval(() => {
    saving = saving.then(save).catch((error: unknown) => {
      ctx.log.debug({ stream: stream.name, ...reasonOf(error) }, 'what was learnt is kept later');
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

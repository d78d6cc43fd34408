import { type HistoryStream, rawHistory } from '../series/history-stream.ts';
import { firstLessons, Knowledge, type Lessons } from '../series/knowledge.ts';
import type { SyncContext } from './context.ts';

/** Under these keys the ledger has what was learnt; of aggregates apart, since a platform may cut their replies elsewhere. */
const keys = { raw: 'history-sizes', aggregate: 'aggregate-sizes' };
/** All of them. */
export const sizeKeys: readonly string[] = Object.values(keys);

export function sizeKeyOf({ aggregate }: HistoryStream): string {
  return aggregate === undefined ? keys.raw : keys.aggregate;
}
/** What was proven is proven again after this time: a platform may be updated. */
const MAX_AGE_MICROS = 7 * 86_400e6;

/** What was learnt, and since when (epoch microseconds). */
export interface KeptLessons {
  readonly lessons: Lessons;
  readonly since: number;
}

/** What earlier runs learnt about the platform's history operation; the first beliefs if that is nothing, or old. */
export async function loadLessons(
  ctx: SyncContext,
  stream: HistoryStream = rawHistory,
): Promise<KeptLessons> {
  const kept = (await ctx.ledger.knowledge.load(ctx.config.platform.baseUrl)).get(sizeKeyOf(stream));
  if (isKept(kept) && ctx.clock() - kept.since <= MAX_AGE_MICROS) return kept;
  return { lessons: firstLessons, since: ctx.clock() };
}

/** Does work that reads a stream with what was learnt of it; what it learns on the way is kept, also if it ends early. */
export async function withLessons(
  ctx: SyncContext,
  stream: HistoryStream,
  work: (knowledge: Knowledge) => Promise<void>,
): Promise<void> {
  const kept = await loadLessons(ctx, stream);
  const knowledge = new Knowledge(kept.lessons);
  try {
    await work(knowledge);
  } finally {
    const found: KeptLessons = { ...kept, lessons: knowledge.lessons };
    await ctx.ledger.knowledge.save(ctx.config.platform.baseUrl, sizeKeyOf(stream), found);
  }
}

function isKept(value: unknown): value is KeptLessons {
  return typeof value === 'object' && value !== null && 'lessons' in value && 'since' in value;
}

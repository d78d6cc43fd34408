import { firstLessons, type Lessons } from '../series/knowledge.ts';
import type { SyncContext } from './context.ts';

/** Under this key the ledger has what was learnt. */
export const SIZES = 'history-sizes';
/** What was proven is proven again after this time: a platform may be updated. */
const MAX_AGE_MICROS = 7 * 86_400e6;

/** What was learnt, and since when (epoch microseconds). */
export interface KeptLessons {
  readonly lessons: Lessons;
  readonly since: number;
}

/** What earlier runs learnt about the platform's history operation; the first beliefs if that is nothing, or old. */
export async function loadLessons(ctx: SyncContext): Promise<KeptLessons> {
  const kept = (await ctx.ledger.knowledge.load(ctx.config.platform.baseUrl)).get(SIZES);
  if (isKept(kept) && ctx.clock() - kept.since <= MAX_AGE_MICROS) return kept;
  return { lessons: firstLessons, since: ctx.clock() };
}

export async function saveLessons(ctx: SyncContext, kept: KeptLessons): Promise<void> {
  await ctx.ledger.knowledge.save(ctx.config.platform.baseUrl, SIZES, kept);
}

function isKept(value: unknown): value is KeptLessons {
  return typeof value === 'object' && value !== null && 'lessons' in value && 'since' in value;
}

import { firstLessons, type Lessons } from '../series/knowledge.ts';
import type { SyncContext } from './context.ts';

const KEY = 'history-sizes';
/** What was proven is proven again after this time: a platform may be updated. */
const MAX_AGE_MICROS = 7 * 86_400e6;

/** What earlier runs learnt about the platform's history operation; the first beliefs if that is nothing, or old. */
export async function loadLessons(ctx: SyncContext): Promise<Lessons> {
  const kept = (await ctx.ledger.knowledge.load(ctx.config.platform.baseUrl)).get(KEY);
  if (!isKept(kept) || ctx.clock() - kept.since > MAX_AGE_MICROS) return firstLessons;
  return kept.lessons;
}

export async function saveLessons(ctx: SyncContext, lessons: Lessons): Promise<void> {
  const platform = ctx.config.platform.baseUrl;
  const kept = (await ctx.ledger.knowledge.load(platform)).get(KEY);
  const current = isKept(kept) && ctx.clock() - kept.since <= MAX_AGE_MICROS;
  await ctx.ledger.knowledge.save(platform, KEY, { lessons, since: current ? kept.since : ctx.clock() });
}

function isKept(value: unknown): value is { lessons: Lessons; since: number } {
  return typeof value === 'object' && value !== null && 'lessons' in value && 'since' in value;
}

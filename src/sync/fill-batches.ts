import { Knowledge } from '../series/knowledge.ts';
import type { Batch } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';
import { loadLessons, saveLessons } from './lessons.ts';
import { keepPace, type Tally } from './pace.ts';
import type { Destination } from './plan-fill.ts';
import { PointSink } from './point-sink.ts';
import { readBatches } from './read-batches.ts';
import type { RunSummary } from './summary.ts';
import { Unreadable } from './unreadable.ts';

/** Reads what was planned and writes it to the stores that lack it; what is learnt on the way is kept, also if it ends early. */
export async function fillBatches(
  ctx: SyncContext,
  summary: RunSummary,
  batches: Batch<Destination>[],
): Promise<void> {
  const kept = await loadLessons(ctx);
  const knowledge = new Knowledge(kept.lessons);
  const sink = new PointSink(ctx, summary);
  const unreadable = new Unreadable();
  const tally: Tally = { requests: 0, rows: 0, seriesSec: 0 };
  const startedAt = ctx.clock();
  try {
    await readBatches(ctx, { batches, knowledge, sink, unreadable, tally });
  } finally {
    summary.problems.push(...unreadable.describe());
    await sink.finish();
    await saveLessons(ctx, { ...kept, lessons: knowledge.lessons });
    await keepPace(ctx, tally, (ctx.clock() - startedAt) / 1e6);
  }
}

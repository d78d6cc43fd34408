import { classifyFailure, createWindowRead } from '../extract/windows.ts';
import { DividingReader } from '../series/dividing-reader.ts';
import type { Knowledge } from '../series/knowledge.ts';
import { joinRows, type RowsBySeries } from '../series/rows.ts';
import type { Window } from '../series/window.ts';
import type { SyncContext } from './context.ts';
import { LIMIT_FACTOR } from './read-batches.ts';

/** Reads one window as a whole; undefined if any part of it could not be read to the end. Throws if the platform is away. */
export async function readAgain(
  ctx: SyncContext,
  knowledge: Knowledge,
  window: Window,
): Promise<RowsBySeries | undefined> {
  let rows: RowsBySeries = new Map();
  let complete = true;
  const reader = new DividingReader({
    read: createWindowRead({
      platform: ctx.platform,
      parseInstant: ctx.parseInstant,
      signal: ctx.signal,
      priority: ctx.priority,
      onReject: () => undefined,
      onReply: () => undefined,
    }),
    classify: classifyFailure,
    knowledge,
    limit: { current: ctx.config.limits.rowsPerRead * LIMIT_FACTOR },
    onComplete: async (_, part) => {
      rows = joinRows(rows, part);
    },
    onUnreadable: async () => {
      complete = false;
    },
  });
  await reader.readWindow(window);
  return complete ? rows : undefined;
}

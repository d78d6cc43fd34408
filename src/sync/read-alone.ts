import { classifyFailure, createWindowRead } from '../extract/windows.ts';
import { DividingReader, type ReaderParts } from '../series/dividing-reader.ts';
import type { Window } from '../series/window.ts';
import type { SyncContext } from './context.ts';
import { LIMIT_FACTOR } from './read-batches.ts';

/** Reads one window outside of a filling: what cannot be used of it is nobody's reject. Throws if the platform is away. */
export async function readAlone(
  ctx: SyncContext,
  window: Window,
  parts: Pick<ReaderParts, 'knowledge' | 'onComplete' | 'onUnreadable'>,
): Promise<void> {
  const reader = new DividingReader({
    ...parts,
    read: createWindowRead({
      platform: ctx.platform,
      parseInstant: ctx.parseInstant,
      signal: ctx.signal,
      priority: ctx.priority,
      onReject: () => undefined,
      onReply: () => undefined,
    }),
    classify: classifyFailure,
    limit: { current: ctx.config.limits.rowsPerRead * LIMIT_FACTOR },
  });
  await reader.readWindow(window);
}

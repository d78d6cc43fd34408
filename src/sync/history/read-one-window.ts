import { messageOf } from '../../errors.ts';
import { classifyFailure, createWindowRead } from '../../extract/windows.ts';
import { UnprovenHistory } from '../../series/bounds.ts';
import { DividingReader, type ReaderParts } from '../../series/dividing-reader.ts';
import type { Aggregate } from '../../series/history-stream.ts';
import type { Window } from '../../series/window.ts';
import type { SyncContext } from '../context.ts';
import { LIMIT_FACTOR } from './window-reader.ts';

/** Reads one window outside of a filling: what cannot be used of it is nobody's reject. Throws if the platform is away. */
export async function readAlone(
  ctx: SyncContext,
  window: Window,
  {
    aggregate,
    ...parts
  }: Pick<ReaderParts, 'knowledge' | 'onComplete' | 'onUnreadable'> & { aggregate?: Aggregate | undefined },
): Promise<void> {
  const reader = new DividingReader({
    ...parts,
    read: createWindowRead({
      platform: ctx.platform,
      parseInstant: ctx.parseInstant,
      signal: ctx.signal,
      priority: ctx.priority,
      aggregate,
      onReject: () => undefined,
      onReply: () => undefined,
    }),
    classify: classifyFailure,
    limit: { current: ctx.config.limits.rowsPerRead * LIMIT_FACTOR },
  });
  try {
    await reader.readWindow(window);
  } catch (error) {
    if (!(error instanceof UnprovenHistory)) throw error;
    await parts.onUnreadable(window, messageOf(error));
  }
}

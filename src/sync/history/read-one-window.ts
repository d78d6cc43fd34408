import { describeError } from '../../errors.ts';
import { classifyFailure, createWindowRead } from '../../extract/windows.ts';
import { UnprovenHistory } from '../../series/bounds.ts';
import { DividingReader, type ReaderDeps } from '../../series/dividing-reader.ts';
import { type Aggregate, HISTORY, type HistoryStream } from '../../series/history-stream.ts';
import type { ReplySizes } from '../../series/reply-sizes.ts';
import { joinRows, type RowsBySeries } from '../../series/rows.ts';
import type { Window } from '../../series/window.ts';
import type { SyncContext } from '../context.ts';
import { traceWindow } from '../spans.ts';
import { LIMIT_FACTOR } from './window-reader.ts';

/**
 * Reads one window as a whole. Returns undefined if a part of it could not be read to its end. Throws if the
 * platform is away.
 */
export async function readOneWindow(
  ctx: SyncContext,
  { stream, replySizes }: { stream: HistoryStream; replySizes: ReplySizes },
  window: Window,
): Promise<RowsBySeries | undefined> {
  let rows: RowsBySeries = new Map();
  let complete = true;
  await readPartsOfWindow(ctx, window, {
    aggregate: stream.aggregate,
    replySizes,
    onComplete: async (_, part) => {
      rows = joinRows(rows, part);
    },
    onUnreadable: async () => {
      complete = false;
    },
  });
  return complete ? rows : undefined;
}

/**
 * Reads one window outside of a filling, so that its unusable rows make no rejects. Throws if the platform is
 * away.
 */
export async function readPartsOfWindow(
  ctx: SyncContext,
  window: Window,
  {
    aggregate,
    ...parts
  }: Pick<ReaderDeps, 'replySizes' | 'onComplete' | 'onUnreadable'> & { aggregate?: Aggregate | undefined },
): Promise<void> {
  const reader = new DividingReader(window, {
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
    await traceWindow(ctx, { stream: HISTORY, window }, () => reader.read());
  } catch (error) {
    if (!(error instanceof UnprovenHistory)) throw error;
    await parts.onUnreadable(window, describeError(error));
  }
}

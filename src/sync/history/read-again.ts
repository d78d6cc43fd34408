import type { HistoryStream } from '../../series/history-stream.ts';
import type { Knowledge } from '../../series/reply-sizes.ts';
import { joinRows, type RowsBySeries } from '../../series/rows.ts';
import type { Window } from '../../series/window.ts';
import type { SyncContext } from '../context.ts';
import { readAlone } from './read-one-window.ts';

/** Reads one window as a whole; undefined if any part of it could not be read to the end. Throws if the platform is away. */
export async function readAgain(
  ctx: SyncContext,
  { stream, knowledge }: { stream: HistoryStream; knowledge: Knowledge },
  window: Window,
): Promise<RowsBySeries | undefined> {
  let rows: RowsBySeries = new Map();
  let complete = true;
  await readAlone(ctx, window, {
    aggregate: stream.aggregate,
    knowledge,
    onComplete: async (_, part) => {
      rows = joinRows(rows, part);
    },
    onUnreadable: async () => {
      complete = false;
    },
  });
  return complete ? rows : undefined;
}

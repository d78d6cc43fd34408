import { PlatformError } from '../errors.ts';
import type { Platform, Priority } from '../platform/platform.ts';
import type { FailureMeaning, WindowRequest } from '../series/dividing-reader.ts';
import type { InstantParser } from '../series/instant.ts';
import { sizeOf } from '../series/knowledge.ts';
import type { RowsBySeries } from '../series/rows.ts';
import { type RawRows, seriesName } from '../series/types.ts';

export interface WindowSource {
  readonly platform: Platform;
  readonly parseInstant: InstantParser;
  readonly signal: AbortSignal;
  readonly priority?: Priority | undefined;
  /** Called for every row whose time cannot be read: it can have no place in a store. */
  readonly onReject: (seriesId: number, row: readonly unknown[]) => void;
  /** Called for every reply with its bytes and rows. */
  readonly onReply: (bytes: number, rows: number) => void;
}

/** Attempts after the first; the reader divides what still fails, so that they would only delay it. */
const RETRIES = 2;

/** Makes the function that reads one window of history (specification: Runtime, properties/history). */
export function createWindowRead(source: WindowSource): (request: WindowRequest) => Promise<RowsBySeries> {
  return async (request) => {
    const ids = new Map(request.series.map((series) => [seriesName(series), series.id]));
    const { fromSec, toSec, limit, offset } = request;
    const reply = await source.platform.readHistory(
      { series: [...ids.keys()], fromSec, toSec, limit, offset },
      { signal: source.signal, retries: RETRIES, priority: source.priority },
    );
    const rows = new Map<number, RawRows>();
    for (const column of reply.columns) {
      const id = ids.get(column.name);
      if (id === undefined) continue;
      const own = rows.get(id) ?? { times: [], values: [] };
      rows.set(id, own);
      for (const row of column.rows) {
        const time = source.parseInstant(row[column.timeAt]);
        if (Number.isNaN(time)) source.onReject(id, row);
        const value = row[column.valueAt];
        const isPadding = Number.isNaN(time) || (column.sparse && value === null);
        own.times.push(time);
        own.values.push(isPadding ? undefined : value);
      }
    }
    source.onReply(reply.bytes, sizeOf(rows).rows);
    return rows;
  };
}

/** What a failure of the history operation means for the window that was asked for. */
export function classifyFailure(error: unknown): FailureMeaning {
  if (!(error instanceof PlatformError) || error.unreachable) return 'stop';
  switch (error.kind) {
    case 'too_large':
    case 'timeout':
    case 'unavailable':
    case 'malformed':
    case 'failed':
      return 'smaller';
    case 'parameter':
      return 'refused';
    case 'missing':
      return 'isolate';
    case 'auth':
      return 'stop';
  }
}

import { Breaks } from '../breaks.ts';
import { PlatformError } from '../errors.ts';
import type { HistoryColumn, Platform, Priority } from '../platform/platform.ts';
import { type Aggregate, aggregateFunctions } from '../series/history-stream.ts';
import type { InstantParser } from '../series/instant.ts';
import { isNestedTooDeeply, MAX_LEVELS } from '../series/nesting.ts';
import { sizeOf } from '../series/reply-sizes.ts';
import { joinAll, type RowsBySeries } from '../series/rows.ts';
import { type RawRows, seriesName } from '../series/types.ts';
import type { FailureMeaning, WindowRequest } from '../series/window-request.ts';

export interface WindowSource {
  readonly platform: Platform;
  readonly parseInstant: InstantParser;
  readonly signal: AbortSignal;
  readonly priority?: Priority | undefined;
  /** The aggregate to ask for instead of the raw values. */
  readonly aggregate?: Aggregate | undefined;
  /** Takes every row whose time or value no store can hold, with the reason. */
  readonly onReject: (seriesId: number, row: readonly unknown[], reason: string) => void;
  /** Takes the bytes and the number of rows of every reply. */
  readonly onReply: (bytes: number, rows: number) => void;
}

/**
 * Attempts after the first attempt. The reader divides a window that keeps failing, so more attempts would
 * only delay that.
 */
const RETRIES = 2;

/** Makes the function that reads one window of history (specification: Runtime, properties/history). */
export function createWindowRead(source: WindowSource): (request: WindowRequest) => Promise<RowsBySeries> {
  return async (request) => {
    const ids = new Map(request.series.map((series) => [seriesName(series), series.id]));
    const { fromSec, toSec, limit, offset } = request;
    const { aggregate } = source;
    const reply = await source.platform.readHistory(
      {
        series: [...ids.keys()],
        fromSec,
        toSec,
        limit,
        offset,
        // No fill strategy is asked for: a value that the platform makes up for an empty bucket is no value.
        ...(aggregate && { aggregate: { functions: [aggregate.fn], periodSec: aggregate.periodSec } }),
      },
      { signal: source.signal, retries: RETRIES, priority: source.priority },
    );
    const parts = new Map<number, RawRows[]>();
    const breaks = new Breaks();
    for (const column of reply.columns) {
      const id = ids.get(column.name);
      if (id === undefined) continue;
      if (isOfAnother(column, aggregate)) throw mislabelled(column, aggregate);
      const own = parts.get(id);
      const rows = await rowsOf(column, id, { source, breaks });
      if (own === undefined) parts.set(id, [rows]);
      else own.push(rows);
    }
    const rows = new Map<number, RawRows>();
    for (const [id, own] of parts) rows.set(id, await joinAll(own, breaks));
    source.onReply(reply.bytes, sizeOf(rows).rows);
    return rows;
  };
}

/**
 * Returns true for a column of a function that was not asked for. The platform may label raw values with any
 * name that is no function.
 */
function isOfAnother({ fn }: HistoryColumn, aggregate: Aggregate | undefined): boolean {
  const named = fn?.toLowerCase();
  if (named === undefined || named === aggregate?.fn) return false;
  return aggregate !== undefined || aggregateFunctions.some((known) => known === named);
}

/**
 * Makes the error for a column of another function. Leaving the column out would make its series look empty.
 */
function mislabelled({ name, fn }: HistoryColumn, aggregate: Aggregate | undefined): PlatformError {
  return new PlatformError(
    'platform.other_values',
    `readHistory failed: the reply holds "${fn}" of ${name}, and ${aggregate?.fn ?? 'raw values'} were asked for`,
    { kind: 'malformed', action: 'skip', operation: 'readHistory' },
  );
}

async function rowsOf(
  column: HistoryColumn,
  id: number,
  { source, breaks }: { readonly source: WindowSource; readonly breaks: Breaks },
): Promise<RawRows> {
  const { aggregate, parseInstant, onReject } = source;
  const { rows, timeAt, valueAt, sparse } = column;
  const instants = rows.instants(timeAt);
  const stated = instants ?? rows.values(timeAt);
  const plain = rows.values(valueAt);
  // Every row of a plain column is a point.
  if (instants !== undefined && plain !== undefined && !sparse && aggregate === undefined)
    return { times: instants, values: plain };
  let listed = stated && plain ? undefined : await rows.list();
  const times: number[] = [];
  const values: unknown[] = [];
  for (let k = 0; k < rows.length; k += 1) {
    if (breaks.dueAt(k)) await breaks.take();
    const value = plain === undefined ? listed?.[k]?.[valueAt] : plain[k];
    const time = instants?.[k] ?? parseInstant(stated === undefined ? listed?.[k]?.[timeAt] : stated[k]);
    const isShort = value === undefined && !sparse;
    const problem = isShort
      ? 'the row ends before its value'
      : (problemOf(time, aggregate) ?? problemOfValue(value));
    if (problem !== undefined) {
      listed ??= await rows.list();
      onReject(id, listed[k] ?? [], problem);
    }
    // The null of an aggregate is a bucket without data.
    const isNothing = value === null && (sparse || aggregate !== undefined);
    times.push(time);
    values.push(problem !== undefined || isNothing ? undefined : value);
  }
  return { times, values };
}

/**
 * Returns why no store can hold a row at this time. Returns undefined if a store can. A bucket that begins
 * elsewhere is cut at the bounds of the request, so its value is wrong.
 */
function problemOf(time: number, aggregate: Aggregate | undefined): string | undefined {
  if (Number.isNaN(time)) return 'the time cannot be read';
  if (aggregate === undefined || time % (aggregate.periodSec * 1e6) === 0) return undefined;
  return `the time of the row is not the start of a bucket of ${aggregate.periodSec} s: the platform divides time in another way`;
}

/**
 * Returns why no store can hold a value. Returns undefined if a store can. Only objects and lists can be
 * nested too deeply.
 */
function problemOfValue(value: unknown): string | undefined {
  return typeof value === 'object' && isNestedTooDeeply(value)
    ? `the value is nested deeper than ${MAX_LEVELS} levels`
    : undefined;
}

/** Returns what a failure of the history operation means for its window. */
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

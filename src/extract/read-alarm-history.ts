import type { Platform } from '../platform/platform.ts';
import { formatInstant } from '../series/instant.ts';
import { type ListScanEnd, readPages } from './pages.ts';

/** A stretch of the alarm history, in whole epoch seconds `[fromSec, toSec)`. */
export interface AlarmWindow {
  readonly fromSec: number;
  readonly toSec: number;
}

export interface AlarmHistoryRequest extends AlarmWindow {
  /** Each is read by itself; undefined for all. */
  readonly priorities: readonly number[] | undefined;
  /** Name or description of an alarm, or a part of it. */
  readonly keyword: string | undefined;
  readonly pageSize: number;
  readonly trustTotal: boolean;
  /** The key of a record; undefined where it has none. */
  readonly keyOf: (record: unknown) => string | undefined;
  /** More records than this are not read in one window. */
  readonly maxRecords: number;
  readonly signal: AbortSignal;
}

export interface AlarmHistoryReply {
  /** In the order received; also those that lie outside of the window, since they are as true as the others. */
  readonly records: readonly unknown[];
  /** Why the records are not proven to be all, in one sentence; undefined if they are. */
  readonly problem: string | undefined;
  /** Smaller windows would prove no more. */
  readonly isFinal?: boolean;
  /** The total was trusted, and is not the number of records. */
  readonly totalIsWrong: boolean;
}

/** Scans of a window that changes while it is read; a smaller one is more likely to hold still. */
const MAX_SCANS = 2;
const PAGES_AT_ONCE = 8;
/** Attempts after the first: what fails for good is divided, so that more would only delay it. */
const RETRIES = 2;
/** No platform sends fewer entries per page while there are more. */
const SMALLEST_PAGE = 20;
/** Whether the lower bound belongs to the stretch is not specified, so the second before it is asked for too. */
const MARGIN_SEC = 1;

/** Reads the alarms of a window (specification: alarms/v1/history), every page, to a proven end. Throws what the platform throws. */
export async function readAlarmHistory(
  platform: Pick<Platform, 'listPage'>,
  request: AlarmHistoryRequest,
): Promise<AlarmHistoryReply> {
  const records: unknown[] = [];
  let totalIsWrong = false;
  for (const priority of request.priorities ?? [undefined]) {
    const part = await readPriority(platform, request, {
      priority,
      room: request.maxRecords - records.length,
    });
    totalIsWrong ||= part.totalIsWrong;
    if (part.problem !== undefined) return { ...part, totalIsWrong };
    records.push(...part.records);
  }
  return { records, problem: undefined, totalIsWrong };
}

/** Ends a scan that has become too large. */
class TooMany extends Error {}

async function readPriority(
  platform: Pick<Platform, 'listPage'>,
  request: AlarmHistoryRequest,
  { priority, room }: { priority: number | undefined; room: number },
): Promise<AlarmHistoryReply> {
  const { fromSec, toSec, keyword, pageSize, trustTotal, keyOf, signal } = request;
  const query = {
    startTime: formatInstant((fromSec - MARGIN_SEC) * 1e6),
    endTime: formatInstant(toSec * 1e6),
    keyword,
    priority,
  };
  const list = { operation: 'listAlarmHistory', query, pageSize, trustTotal, keyOf, signal } as const;
  const options = {
    pagesAtOnce: PAGES_AT_ONCE,
    retries: RETRIES,
    proveEnd: false,
    proveFullPages: true,
    hasSiblings: true,
  };
  for (let scan = 1; ; scan += 1) {
    const records: unknown[] = [];
    try {
      const end = await readPages(platform, { ...list, ...options }, async ({ items }) => {
        records.push(...items);
        if (records.length > room) throw new TooMany();
      });
      const totalIsWrong = end.totalIsWrong ?? false;
      const problem = problemOf(end, { read: records.length, pageSize });
      const isFinal = end.unproven ?? false;
      // Only a list that moved may hold still another time.
      if (problem === undefined || isFinal || end.stable || scan >= MAX_SCANS)
        return { records, problem, isFinal, totalIsWrong };
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return { records: [], problem: `it holds more than ${room} alarms`, totalIsWrong: false };
    }
  }
}

/** What speaks against these records being all that there are. Of a few that fit on the smallest page, neither a total nor a repeated page does. */
function problemOf(
  { problem, unproven, stable, shortOfTotal = 0 }: ListScanEnd,
  { read, pageSize }: { read: number; pageSize: number },
): string | undefined {
  if (unproven) return problem;
  if (problem !== undefined) return read < SMALLEST_PAGE ? undefined : problem;
  if (!stable) return 'the list kept changing while it was read';
  return shortOfTotal > 0 && read >= pageSize
    ? `the total promises ${shortOfTotal} more alarms than the pages hold`
    : undefined;
}

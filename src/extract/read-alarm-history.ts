import type { Platform } from '../platform/platform.ts';
import { formatInstant } from '../series/instant.ts';
import { type ListScanEnd, readPages } from './pages.ts';

/** A range of the alarm history in whole epoch seconds, `[fromSec, toSec)`. */
export interface AlarmWindow {
  readonly fromSec: number;
  readonly toSec: number;
}

export interface AlarmHistoryRequest extends AlarmWindow {
  /** The priorities to read, one list each. Undefined for all. */
  readonly priorities: readonly number[] | undefined;
  /** Name or description of an alarm, or a part of either. */
  readonly keyword: string | undefined;
  readonly pageSize: number;
  readonly trustTotal: boolean;
  /** Returns the key of a record. Returns undefined for a record without a key. */
  readonly keyOf: (record: unknown) => string | undefined;
  /** Reading ends with a problem if the window holds more records than this. */
  readonly maxRecords: number;
  readonly signal: AbortSignal;
}

export interface AlarmHistoryReply {
  /**
   * The records in the order received. Records outside of the window are kept, since they are as true as the
   * others.
   */
  readonly records: readonly unknown[];
  /** Why the records are not proven to be all, in one sentence. Undefined if they are. */
  readonly problem: string | undefined;
  /** True if smaller windows would prove no more. */
  readonly isFinal?: boolean;
  /** True if the total was trusted, and is not the number of records. */
  readonly totalIsWrong: boolean;
}

/** Most scans of a window that changes while it is read. A smaller window is more likely to stay the same. */
const MAX_SCANS = 2;
const PAGES_AT_ONCE = 8;
/**
 * Attempts for each page after the first attempt. A window that keeps failing is divided, so more attempts
 * would only delay that.
 */
const RETRIES = 2;
/** No platform lowers its page size below this number of entries. */
const SMALLEST_PAGE = 20;
/**
 * One second before the window is asked for too, because the specification does not say whether the lower
 * bound belongs to a range.
 */
const MARGIN_SEC = 1;

/**
 * Reads the alarms of a window (specification: alarms/v1/history), every page to a proven end. Throws what
 * the platform throws.
 */
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
      // Another scan is useful only if the list changed during this one.
      if (problem === undefined || isFinal || end.stable || scan >= MAX_SCANS)
        return { records, problem, isFinal, totalIsWrong };
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return { records: [], problem: `the window holds more than ${room} alarms`, totalIsWrong: false };
    }
  }
}

/**
 * Returns why the records may not be all. Returns undefined if nothing speaks against it. A list that fits on
 * the smallest page is believed in spite of a wrong total or a repeated page.
 */
function problemOf(
  { problem, unproven, stable, shortOfTotal = 0 }: ListScanEnd,
  { read, pageSize }: { read: number; pageSize: number },
): string | undefined {
  if (unproven) return problem;
  if (problem !== undefined) return read < SMALLEST_PAGE ? undefined : problem;
  if (!stable) return 'the list kept changing while it was read';
  return shortOfTotal > 0 && read >= pageSize
    ? `the total promises ${shortOfTotal} more ${shortOfTotal === 1 ? 'alarm' : 'alarms'} than the pages hold`
    : undefined;
}

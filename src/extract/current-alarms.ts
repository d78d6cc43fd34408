import { decodePage } from '../platform/decode-page.ts';
import type { Platform } from '../platform/platform.ts';
import type { OperationInput } from '../platform/shapes.ts';
import { doubtOf } from './list-doubt.ts';

export interface CurrentAlarmsRequest {
  /** The priorities to ask for, one request each. Undefined for all. */
  readonly priorities: readonly number[] | undefined;
  /** Name of an object or property, or a part of such a name. */
  readonly keyword: string | undefined;
  readonly signal: AbortSignal;
}

export interface CurrentAlarms {
  readonly records: readonly unknown[];
  /** Why the platform may have more alarms than it sent, in one sentence. Undefined if nothing says so. */
  readonly problem: string | undefined;
}

/**
 * Reads the alarms that are active now (specification: alarms/v1/current, whose reply is no page). Throws
 * what the platform throws. Throws a `PlatformError` of kind `malformed` if a reply has no list, because no
 * list does not mean no alarms.
 */
export async function readCurrentAlarms(
  platform: Pick<Platform, 'read'>,
  { priorities, keyword, signal }: CurrentAlarmsRequest,
): Promise<CurrentAlarms> {
  const records: unknown[] = [];
  let problem: string | undefined;
  for (const priority of priorities?.map(String) ?? [undefined]) {
    const input = { query: { priority, keyword } } as OperationInput<'listCurrentAlarms'>;
    const { body, bytes } = await platform.read('listCurrentAlarms', input, { signal });
    const { items, total, complains } = decodePage(body, bytes);
    records.push(...items);
    problem ??= doubtOf({ records: items.length, total, complains }) ?? whyShort(items.length, total);
  }
  return { records, problem };
}

/**
 * Returns a problem if the stated total is larger than the reply. The specification does not page this list,
 * but a platform that does states a total.
 */
function whyShort(records: number, total: number | undefined): string | undefined {
  return total !== undefined && total > records
    ? `the platform says that there are ${total} current alarms, and sends ${records}`
    : undefined;
}

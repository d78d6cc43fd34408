import { isObject } from '../platform/is-object.ts';
import type { Platform } from '../platform/platform.ts';
import { readReply } from './replies.ts';

export interface CurrentAlarmsRequest {
  /** Each is asked for by itself; undefined for all. */
  readonly priorities: readonly number[] | undefined;
  /** Name of an object or property, or a part of it. */
  readonly keyword: string | undefined;
  readonly signal: AbortSignal;
}

export interface CurrentAlarms {
  readonly records: readonly unknown[];
  /** False if the platform says that there are more alarms than it has sent. */
  readonly whole: boolean;
}

/**
 * Reads the alarms that are active now (specification: alarms/v1/current, whose reply is no page). Throws what the platform throws, and
 * a `PlatformError` of kind `malformed` if a reply has no list: that is not the same as no alarms.
 */
export async function readCurrentAlarms(
  platform: Pick<Platform, 'read'>,
  { priorities, keyword, signal }: CurrentAlarmsRequest,
): Promise<CurrentAlarms> {
  let whole = true;
  const records = (reply: unknown): readonly unknown[] => {
    if (!isObject(reply) || !Array.isArray(reply.list)) throw new TypeError('it has no member list');
    if (promisedBy(reply) > reply.list.length) whole = false;
    return reply.list;
  };
  const all: unknown[] = [];
  for (const priority of priorities ?? [undefined]) {
    const query = { priority, keyword };
    const { items } = await readReply(platform, { operation: 'listCurrentAlarms', query, signal, records });
    all.push(...items);
  }
  return { records: all, whole };
}

/** The list is not paged by the specification; a platform that pages it all the same says how much there is. */
function promisedBy(reply: Readonly<Record<string, unknown>>): number {
  const total = isObject(reply.pagination) ? reply.pagination.total : reply.total;
  return Number(total ?? 0) || 0;
}

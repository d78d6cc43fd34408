import { Breaks } from '../breaks.ts';
import { PlatformError } from '../errors.ts';
import { complaintBeside } from '../platform/complaint.ts';
import type { OperationId } from '../platform/operations.ts';
import type { Page, Platform } from '../platform/platform.ts';
import { operationInput } from './operation-input.ts';

/** One request of an operation whose single reply holds all its records. */
export interface ReplyRequest {
  readonly operation: OperationId;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Finds the records in the reply. Throws a `TypeError` if the reply is not what the contract says. */
  readonly records: (reply: unknown) => Iterable<unknown>;
}

/**
 * Reads an operation that is not paged, as one page of a list. Throws what the platform throws. Throws a
 * `PlatformError` of kind `malformed` if the reply does not hold the records.
 */
export async function readReply(
  platform: Pick<Platform, 'read'>,
  { operation, path, query, signal, records }: ReplyRequest,
): Promise<Page> {
  const { body, bytes, digest } = await platform.read(operation, operationInput({ path, query }), {
    signal,
    wantsDigest: true,
  });
  try {
    const items = await collect(records(body));
    const page = { items, total: undefined, bytes, digest };
    return complaintBeside(body) === undefined ? page : { ...page, complains: true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const where = Object.values(path ?? {}).join('/');
    throw new PlatformError(
      'platform.malformed_reply',
      `${operation}${where && ` of ${where}`} failed: the reply is not what the contract says: ${error.message}`,
      { kind: 'malformed', action: 'skip', operation, cause: error },
    );
  }
}

async function collect(records: Iterable<unknown>): Promise<readonly unknown[]> {
  if (Array.isArray(records)) return records;
  const breaks = new Breaks();
  const items: unknown[] = [];
  for (const record of records) {
    items.push(record);
    if (breaks.due) await breaks.take();
  }
  return items;
}

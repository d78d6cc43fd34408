import { Breaks } from '../breaks.ts';
import { PlatformError } from '../errors.ts';
import type { ListOperationId } from '../platform/operations.ts';
import type { Page, Platform } from '../platform/platform.ts';
import { ListScan, type ListScanEnd, type ListScanOptions } from './list-scan.ts';
import { operationInput } from './operation-input.ts';
import { PagesAhead } from './pages-ahead.ts';

export type { ListScanEnd };

/** One list of which a single page is read. */
export type PageRequest = Pick<
  ListRequest,
  'operation' | 'path' | 'query' | 'pageSize' | 'retries' | 'signal' | 'known'
>;

/** One list to read: an operation with its path and filters. The parameters of paging are added here. */
export interface ListRequest extends ListScanOptions {
  readonly operation: ListOperationId;
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * Returns the key of a record, to tell new entries from repeated ones. Returns undefined for a record
   * without a key.
   */
  readonly keyOf: (record: unknown) => string | undefined;
  /** Most pages that are under way or waiting at once, if the total promises that many. At least 1. */
  readonly pagesAtOnce: number;
  /**
   * The only page that the list had when it was last read: its digest, and its number of entries. A list
   * whose first page is still the same has ended with it, and the page is not parsed.
   */
  readonly known?: { readonly digest: string; readonly records: number } | undefined;
  /** Attempts for each page after the first attempt. By default the client's own number. */
  readonly retries?: number;
}

/**
 * Reads a list page by page (specification: paged lists, `page` and `per_page`). Every page with new entries
 * goes to `onPage`, one after the other in the order of their numbers. So the last of equal keys is the last
 * of the list. The next pages are already under way meanwhile, at most `pagesAtOnce`. `ListScan` decides when
 * the list has ended.
 * Throws what `onPage` throws. Throws what the platform throws, with the page and its parameters. No request
 * is under way when it throws.
 */
export async function readPages(
  platform: Pick<Platform, 'listPage'>,
  request: ListRequest,
  onPage: (page: Page) => Promise<void>,
): Promise<ListScanEnd> {
  const scan = new ListScan(request);
  const ahead = new PagesAhead({
    read: (number, signal) => readPage(platform, { ...request, signal }, number),
    atOnce: request.pagesAtOnce,
    signal: request.signal,
  });
  try {
    ahead.ask(1, 1);
    for (let number = 1; ; number += 1) {
      const page = await ahead.take(number).catch((error: unknown) => {
        throw error instanceof PlatformError ? error.at(placeOf(request, number)) : error;
      });
      if (page.isKnown && request.known !== undefined) {
        await onPage(page);
        return { complete: true, stable: true, pages: 1, records: request.known.records, isKnown: true };
      }
      await noteKeys(scan, page, request);
      const end = scan.take(page);
      if (end === undefined) ahead.ask(number + 1, Math.max(number + 1, scan.promisedPages));
      if (scan.isNew) await onPage(page);
      if (end?.problem !== undefined)
        return { ...end, problem: `${end.problem} (${request.operation}, ${placeOf(request, number)})` };
      if (end !== undefined) return end;
    }
  } finally {
    await ahead.close();
  }
}

/**
 * Describes a page for people: `page 4, per_page 100, objName pump`. The path stands in the label of the
 * request.
 */
function placeOf(request: ListRequest, page: number): string {
  const parameters = Object.entries({ per_page: request.pageSize, ...request.query })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`);
  return [`page ${page}`, ...parameters].join(', ');
}

/** Notes the keys of a page, with breaks, because a page may hold any number of entries. */
async function noteKeys(scan: ListScan, { items }: Page, { keyOf }: ListRequest): Promise<void> {
  const breaks = new Breaks();
  for (const item of items) {
    scan.note(keyOf(item));
    if (breaks.due) await breaks.take();
  }
}

/**
 * Reads one page of a list. Pages count from 1; a page beyond the list's end is read all the same. Throws
 * what the platform throws.
 */
export function readPage(
  platform: Pick<Platform, 'listPage'>,
  { operation, path, query, pageSize, retries, signal, known }: PageRequest,
  page: number,
): Promise<Page> {
  const input = operationInput<ListOperationId>({ path, query: { ...query, page, per_page: pageSize } });
  return platform.listPage(operation, input, {
    wantsDigest: true,
    ...(page === 1 && known && { knownDigest: known.digest }),
    ...(signal && { signal }),
    ...(retries !== undefined && { retries }),
  });
}

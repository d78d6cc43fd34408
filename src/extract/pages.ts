import { Breaks } from '../breaks.ts';
import { PlatformError } from '../errors.ts';
import type { ListOperationId } from '../platform/operations.ts';
import type { Page, Platform } from '../platform/platform.ts';
import type { OperationInput } from '../platform/shapes.ts';
import { ListScan, type ListScanEnd, type ListScanOptions } from './list-scan.ts';
import { PagesAhead } from './pages-ahead.ts';

export type { ListScanEnd };

/** The list that one page is read of. */
export type PageRequest = Pick<
  ListRequest,
  'operation' | 'path' | 'query' | 'pageSize' | 'retries' | 'signal'
>;

/** One list to read: an operation with its path and filters; paging is added here. */
export interface ListRequest extends ListScanOptions {
  readonly operation: ListOperationId;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** The key of a record, to tell new entries from repeated ones; undefined where the record has none. */
  readonly keyOf: (record: unknown) => string | undefined;
  /** Pages under way or waiting at once, where the total says that there are so many; at least 1. */
  readonly pagesAtOnce: number;
  /** Attempts after the first of each page; by default the client's own number. */
  readonly retries?: number;
}

/**
 * Reads a list page by page (specification: paged lists, `page` and `per_page`) and hands every page with new entries to `onPage`, one
 * after the other in the order of their numbers, so that the last of equal keys is the last of the list; the next pages
 * are on their way meanwhile, and no more are asked for than there is room. `ListScan` says when the list has ended.
 * Throws what `onPage` throws, and what the platform throws with the page and its parameters; no request is under way then.
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

/** A page for people: `page 4, per_page 100, objName pump`. The path stands in the label of the request. */
function placeOf(request: ListRequest, page: number): string {
  const parameters = Object.entries({ per_page: request.pageSize, ...request.query })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`);
  return [`page ${page}`, ...parameters].join(', ');
}

/** A page may hold any number of entries, so their keys are noted with breaks. */
async function noteKeys(scan: ListScan, { items }: Page, { keyOf }: ListRequest): Promise<void> {
  const breaks = new Breaks();
  for (const item of items) {
    scan.note(keyOf(item));
    if (breaks.due) await breaks.take();
  }
}

/** The operation's input for one page. The contract knows each operation's parameters; here they come as data. */
/** Reads one page of a list, counted from 1, whatever it says of the list's end. Throws what the platform throws. */
export function readPage(
  platform: Pick<Platform, 'listPage'>,
  { operation, path, query, pageSize, retries, signal }: PageRequest,
  page: number,
): Promise<Page> {
  // The declaration of the stream says which parameters its operation takes; here they come as data.
  const input = { ...(path && { path }), query: { ...query, page, per_page: pageSize } } as unknown;
  return platform.listPage(operation, input as OperationInput<ListOperationId>, {
    ...(signal && { signal }),
    ...(retries !== undefined && { retries }),
  });
}

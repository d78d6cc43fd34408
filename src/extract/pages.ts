import type { ListOperationId, OperationId } from '../platform/operations.ts';
import type { Page, Platform } from '../platform/platform.ts';
import type { OperationInput } from '../platform/shapes.ts';

/** One list to read: an operation with its path and filters; paging is added here. */
export interface ListRequest {
  readonly operation: ListOperationId;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly pageSize: number;
  readonly signal?: AbortSignal;
  /** The key of a record, to tell new entries from repeated ones; undefined where the record has none. */
  readonly keyOf: (record: unknown) => string | undefined;
}

/** How the scan of a list ended. */
export interface ScanEnd {
  /** The list was read to its end. */
  readonly complete: boolean;
  /** Nothing showed that the list changed while it was read. */
  readonly stable: boolean;
  readonly pages: number;
  readonly records: number;
  /** Why the scan is not complete. */
  readonly problem?: string;
}

/** Pages in a row without a new key before the scan is given up. */
const MAX_IDLE_PAGES = 2;

/**
 * Reads a list page by page and hands every page to `onPage`. The list has ended when the entries received equal the
 * `total` that every page stated, or at an empty page; its end is never concluded from a short page, since platforms
 * lower the page size silently.
 */
export async function readPages(
  platform: Platform,
  request: ListRequest,
  onPage: (page: Page) => Promise<void>,
): Promise<ScanEnd> {
  const scan = new Scan(request.keyOf);
  for (let number = 1; ; number += 1) {
    const page = await platform.listPage(request.operation, inputFor(request, number), {
      signal: request.signal,
    });
    const end = scan.take(page);
    if (page.items.length > 0 && !scan.isIdle) await onPage(page);
    if (end !== undefined) return end;
  }
}

/** The operation's input for one page. The contract knows each operation's parameters; here they come as data. */
function inputFor<Id extends ListOperationId>(
  request: ListRequest,
  page: number,
): OperationInput<Id & OperationId> {
  const query = { ...request.query, page, per_page: request.pageSize };
  return { ...(request.path && { path: request.path }), query } as unknown as OperationInput<
    Id & OperationId
  >;
}

/** What the pages of one scan say together. */
class Scan {
  readonly #keyOf: ListRequest['keyOf'];
  readonly #keys = new Set<string>();
  #pages = 0;
  #records = 0;
  #idlePages = 0;
  #stable = true;
  /** The total that every page so far stated; `none` once one page stated no or another total. */
  #total: number | 'none' | undefined;

  constructor(keyOf: ListRequest['keyOf']) {
    this.#keyOf = keyOf;
  }

  /** True if the last page brought no new entry. */
  get isIdle(): boolean {
    return this.#idlePages > 0;
  }

  /** Takes the next page; answers how the scan ended, or undefined if it goes on. */
  take(page: Page): ScanEnd | undefined {
    this.#pages += 1;
    if (page.items.length === 0) return this.#end();
    this.#noteTotal(page.total);
    if (this.#countNew(page.items) === 0) {
      this.#idlePages += 1;
      return this.#idlePages < MAX_IDLE_PAGES
        ? undefined
        : this.#end('paging does not advance: the platform repeats its pages');
    }
    this.#idlePages = 0;
    this.#records += page.items.length;
    return this.#records === this.#total ? this.#end() : undefined;
  }

  #noteTotal(total: number | undefined): void {
    if (this.#total === undefined) this.#total = total ?? 'none';
    else if (this.#total !== total) {
      if (this.#total !== 'none' && total !== undefined) this.#stable = false;
      this.#total = 'none';
    }
  }

  #countNew(items: readonly unknown[]): number {
    let fresh = 0;
    for (const item of items) {
      const key = this.#keyOf(item);
      if (key !== undefined && this.#keys.has(key)) continue;
      if (key !== undefined) this.#keys.add(key);
      fresh += 1;
    }
    if (fresh > 0 && fresh < items.length) this.#stable = false;
    return fresh;
  }

  #end(problem?: string): ScanEnd {
    const end = {
      complete: problem === undefined,
      stable: this.#stable,
      pages: this.#pages,
      records: this.#records,
    };
    return problem === undefined ? end : { ...end, problem };
  }
}

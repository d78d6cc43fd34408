import type { Page } from '../platform/platform.ts';
import { doubtOf } from './list-doubt.ts';
import { SeenKeys } from './seen-keys.ts';

/** How the scan of a list ended. */
export interface ListScanEnd {
  /** The list was read to its end. */
  readonly complete: boolean;
  /** Nothing showed that the list changed while it was read. */
  readonly stable: boolean;
  readonly pages: number;
  readonly records: number;
  /** Why the scan is not complete. */
  readonly problem?: string;
  /** The list came to its end, and yet proves nothing: reading it in smaller parts would not either. */
  readonly unproven?: true;
  /** The total was trusted, and is not the number of entries: it should not be trusted from now on. */
  readonly totalIsWrong?: true;
  /**
   * Entries that every page's total promised and no page held, although the list was read to its end. The total may count what the
   * application may not see, or the platform may cut the list: nothing may be concluded from what such a scan lacks.
   */
  readonly shortOfTotal?: number;
}

export interface ListScanOptions {
  /** Whether an end may follow from the total, and a change of the list from a change of it. */
  readonly trustTotal: boolean;
  /** Whether the page beyond such an end is looked at too. */
  readonly proveEnd: boolean;
  /** Whether it is at least where the last page is full, as it is where a platform counts some pages in place of the list. */
  readonly proveFullPages?: boolean;
  /**
   * One of many lists of its operation: if the others have shown that its total is wrong, an empty list is believed in spite of it. A list of
   * the whole platform has no others.
   */
  readonly hasSiblings?: boolean;
  /** Entries asked for per page. */
  readonly pageSize: number;
}

/** How many entries of a page are new, without a key, there twice, or known from an earlier page. */
interface Noted {
  fresh: number;
  keyless: number;
  twice: number;
  repeated: number;
}

/** Pages in a row without a new key before the scan is given up. */
const MAX_IDLE_PAGES = 2;
/** Pages in a row in which no record has a key at all: repeated ones cannot be told from new ones there. */
const MAX_KEYLESS_PAGES = 100;

/**
 * What the pages of one list say together, taken in the order of their numbers. The list has ended when the entries received equal the
 * `total` that every page stated, or at an empty page; its end is never concluded from a short page, since platforms lower
 * the page size silently.
 */
export class ListScan {
  readonly #options: ListScanOptions;
  readonly #keys = new SeenKeys();
  #noted: Noted = { fresh: 0, keyless: 0, twice: 0, repeated: 0 };
  #pages = 0;
  #records = 0;
  #firstSize = 0;
  #stable = true;
  /** A key came more than once, so that the number of entries is no proof of their completeness. */
  #repeats = false;
  /** The total that every page so far stated; `none` once one page stated no or another total. */
  #total: number | 'none' | undefined;
  #idlePages = 0;
  #keylessPages = 0;
  #emptyPages = 0;
  /** The total is reached, and the page beyond is being looked at. */
  #proving = false;
  /** There were entries beyond the total. */
  #exceeded = false;
  #isNew = false;
  #complains = false;

  constructor(options: ListScanOptions) {
    this.#options = options;
  }

  /** True if the last page brought new entries. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Number of the last page that the total promises, as far as it is believed; 0 if it promises none. */
  get promisedPages(): number {
    if (!this.#options.trustTotal || typeof this.#total !== 'number' || this.#firstSize === 0) return 0;
    return Math.ceil(this.#total / this.#firstSize);
  }

  /** Notes the key of an entry of the page that is taken next, to tell new entries from repeated ones; undefined where it has none. */
  note(key: string | undefined): void {
    const noted = this.#noted;
    if (key === undefined) {
      noted.keyless += 1;
      return;
    }
    const page = this.#pages + 1;
    const { firstPage, isNew } = this.#keys.note(key, page);
    if (isNew) noted.fresh += 1;
    else if (firstPage === page) noted.twice += 1;
    else noted.repeated += 1;
  }

  /** Takes the next page, of which all keys were noted; answers how the scan ended, or undefined if it goes on. */
  take({ items, total, complains }: Page): ListScanEnd | undefined {
    this.#pages += 1;
    this.#complains ||= complains === true;
    this.#isNew = false;
    if (items.length === 0) return this.#takeEmpty(total);
    if (this.#pages === 1) this.#firstSize = items.length;
    this.#noteTotal(total);
    const { fresh, keyless, repeated } = this.#takeNoted();
    const isKeyless = keyless === items.length;
    if (fresh === 0 && !isKeyless) return this.#takeIdle();
    this.#keylessPages = isKeyless ? this.#keylessPages + 1 : 0;
    if (this.#keylessPages > MAX_KEYLESS_PAGES)
      return this.#end(
        `no entry of the last ${MAX_KEYLESS_PAGES} pages has a key, so that the list may go on for ever`,
      );
    // New entries after known ones, or after an empty page: the pages are not of one list that holds still.
    if (repeated > 0 || this.#idlePages + this.#emptyPages > 0) this.#stable = false;
    this.#exceeded ||= this.#proving && this.#total !== 'none';
    this.#idlePages = 0;
    this.#emptyPages = 0;
    this.#proving = false;
    this.#isNew = true;
    this.#records += items.length;
    return this.#records === this.#total ? this.#takeTotal(items.length) : undefined;
  }

  /** The entries equal the total; where that is no proof, the page beyond is. */
  #takeTotal(lastSize: number): ListScanEnd | undefined {
    const { trustTotal, proveEnd, proveFullPages, pageSize } = this.#options;
    const isFull = lastSize >= (this.#pages === 1 ? pageSize : this.#firstSize);
    // A total of just one full page is what a platform would state that counts the page in place of the list.
    const isDoubtful = isFull && (proveFullPages || this.#pages === 1);
    if (trustTotal && !proveEnd && !this.#repeats && !isDoubtful) return this.#end();
    this.#proving = true;
    return undefined;
  }

  #takeEmpty(total: number | undefined): ListScanEnd | undefined {
    const stated = this.#total;
    if (stated === undefined) this.#total = total ?? 'none';
    // Past the end some platforms state 0, which then says nothing.
    else if (stated !== 'none' && total !== undefined && total !== stated && !(this.#proving && total === 0))
      this.#noteChange();
    this.#emptyPages += 1;
    const isMore = typeof this.#total === 'number' && this.#total > this.#records;
    // An empty page where the total promises more may be a hole: if the next one is not empty, it was.
    return isMore && this.#emptyPages === 1 ? undefined : this.#end();
  }

  #takeIdle(): ListScanEnd | undefined {
    if (this.#proving) return this.#end();
    this.#idlePages += 1;
    return this.#idlePages < MAX_IDLE_PAGES
      ? undefined
      : this.#end('paging does not advance: the platform repeats its pages');
  }

  #noteTotal(total: number | undefined): void {
    // A page beyond the end that the total told says by its entries that the total is wrong; it need not state one.
    if (this.#proving && total === undefined) return;
    if (this.#total === undefined) this.#total = total ?? 'none';
    else if (this.#total !== total) {
      if (this.#total !== 'none' && total !== undefined) this.#noteChange();
      this.#total = 'none';
    }
  }

  /** Two totals differ. One that is known to be wrong may do so for reasons of its own. */
  #noteChange(): void {
    if (this.#options.trustTotal) this.#stable = false;
  }

  /** A key twice in one page is the platform's own doing; a key of an earlier page shows that the list moved, or that pages repeat. */
  #takeNoted(): Noted {
    const noted = this.#noted;
    this.#noted = { fresh: 0, keyless: 0, twice: 0, repeated: 0 };
    if (noted.twice + noted.repeated > 0) this.#repeats = true;
    return noted;
  }

  #end(problem?: string): ListScanEnd {
    const end = {
      complete: problem === undefined,
      stable: this.#stable,
      pages: this.#pages,
      records: this.#records,
    };
    if (problem !== undefined) return { ...end, problem };
    const total = typeof this.#total === 'number' ? this.#total : undefined;
    const { trustTotal, hasSiblings = false } = this.#options;
    const told = hasSiblings && !trustTotal ? undefined : total;
    const doubt = doubtOf({ records: this.#records, total: told, complains: this.#complains });
    // No total is called wrong because a list is empty: it may be the list that is.
    if (doubt !== undefined) return { ...end, complete: false, problem: doubt, unproven: true };
    const missing = total === undefined ? 0 : total - this.#records;
    const isWrong = this.#exceeded || (this.#stable && missing !== 0);
    return {
      ...end,
      ...(isWrong && trustTotal && { totalIsWrong: true }),
      ...(missing > 0 && { shortOfTotal: missing }),
    };
  }
}

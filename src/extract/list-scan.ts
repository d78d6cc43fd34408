import type { Page } from '../platform/platform.ts';
import { doubtOf } from './list-doubt.ts';
import { SeenKeys } from './seen-keys.ts';

/** How the scan of a list ended. */
export interface ListScanEnd {
  /** True if the list was read to its end. */
  readonly complete: boolean;
  /** True if nothing showed that the list changed while it was read. */
  readonly stable: boolean;
  readonly pages: number;
  readonly records: number;
  /** Why the scan is not complete. */
  readonly problem?: string;
  /**
   * Set if the list came to its end, and yet proves nothing. Reading it in smaller parts would prove nothing
   * either.
   */
  readonly unproven?: true;
  /**
   * Set if the total was trusted, and is not the number of entries. The total should not be trusted from now
   * on.
   */
  readonly totalIsWrong?: true;
  /**
   * Number of entries that every page's total promised and no page held, although the list was read to its
   * end. The total may count entries that the application may not see, or the platform may cut the list. So
   * nothing may be concluded from entries that such a scan lacks.
   */
  readonly shortOfTotal?: number;
  /** Set if a key came more than once among the entries. */
  readonly repeats?: true;
  /** Set if the list is its only page, and the page is the known one. Its entries did not come again. */
  readonly isKnown?: true;
}

export interface ListScanOptions {
  /** True if the total may prove the end of the list, and a changed total that the list changed. */
  readonly trustTotal: boolean;
  /** True if the page after an end by the total is read too. */
  readonly proveEnd: boolean;
  /**
   * True if the page after an end by the total is read at least when the last page is full. Some platforms
   * count the entries of some pages instead of those of the list.
   */
  readonly proveFullPages?: boolean;
  /**
   * True for one of many lists of the same operation. If the other lists showed that the total is wrong, an
   * empty list is believed in spite of its total. A list of the whole platform has no such siblings.
   */
  readonly hasSiblings?: boolean;
  /** Number of entries that each page asks for. */
  readonly pageSize: number;
}

/**
 * Number of entries of a page that are new, have no key, come twice in the page, or are known from an earlier
 * page.
 */
interface Noted {
  fresh: number;
  keyless: number;
  twice: number;
  repeated: number;
}

/** The scan is given up after this many pages in a row without a new key. */
const MAX_IDLE_PAGES = 2;
/**
 * The scan is given up after more than this many pages in a row without any key. Without keys, repeated
 * entries look like new ones.
 */
const MAX_KEYLESS_PAGES = 100;

/**
 * Judges what the pages of one list say together, taken in the order of their numbers. The list has ended
 * when the entries received equal the `total` that every page stated, or at an empty page. A short page never
 * proves the end, since platforms lower the page size silently.
 */
export class ListScan {
  readonly #options: ListScanOptions;
  readonly #keys = new SeenKeys();
  #noted: Noted = { fresh: 0, keyless: 0, twice: 0, repeated: 0 };
  #pages = 0;
  #records = 0;
  #firstSize = 0;
  #stable = true;
  /** True if a key came more than once. Then the number of entries does not prove that they are complete. */
  #repeats = false;
  /** The total that every page so far stated. `none` once a page stated no total or another one. */
  #total: number | 'none' | undefined;
  #idlePages = 0;
  #keylessPages = 0;
  #emptyPages = 0;
  /** True while the total is reached and the page after it is read. */
  #proving = false;
  /** True if there were entries beyond the total. */
  #exceeded = false;
  #isNew = false;
  #complains = false;
  /** True if a key came more than once among the entries that were handed on. */
  #doubled = false;

  constructor(options: ListScanOptions) {
    this.#options = options;
  }

  /** True if the last page brought new entries. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Number of the last page that the total promises. 0 if there is no total, or if it is not trusted. */
  get promisedPages(): number {
    if (!this.#options.trustTotal || typeof this.#total !== 'number' || this.#firstSize === 0) return 0;
    return Math.ceil(this.#total / this.#firstSize);
  }

  /**
   * Notes the key of an entry of the page that is taken next, to tell new entries from repeated ones. `key`
   * is undefined for an entry without one.
   */
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

  /**
   * Takes the next page, whose keys are already noted. Returns how the scan ended, or undefined if it goes
   * on.
   */
  take({ items, total, complains }: Page): ListScanEnd | undefined {
    this.#pages += 1;
    this.#complains ||= complains === true;
    this.#isNew = false;
    if (items.length === 0) return this.#takeEmpty(total);
    if (this.#pages === 1) this.#firstSize = items.length;
    this.#noteTotal(total);
    const { fresh, keyless, twice, repeated } = this.#takeNoted();
    const isKeyless = keyless === items.length;
    if (fresh === 0 && !isKeyless) return this.#takeIdle();
    this.#keylessPages = isKeyless ? this.#keylessPages + 1 : 0;
    if (this.#keylessPages > MAX_KEYLESS_PAGES)
      return this.#end(
        `no entry of the last ${MAX_KEYLESS_PAGES} pages has a key, so that the list may go on for ever`,
      );
    this.#doubled ||= twice + repeated > 0;
    // New entries after known ones, or after an empty page, show that the list moved between the pages.
    if (repeated > 0 || this.#idlePages + this.#emptyPages > 0) this.#stable = false;
    this.#exceeded ||= this.#proving && this.#total !== 'none';
    this.#idlePages = 0;
    this.#emptyPages = 0;
    this.#proving = false;
    this.#isNew = true;
    this.#records += items.length;
    return this.#records === this.#total ? this.#takeTotal(items.length) : undefined;
  }

  /**
   * Ends the scan because the entries equal the total. If this is no proof, the page after it is read first.
   */
  #takeTotal(lastSize: number): ListScanEnd | undefined {
    const { trustTotal, proveEnd, proveFullPages, pageSize } = this.#options;
    const isFull = lastSize >= (this.#pages === 1 ? pageSize : this.#firstSize);
    // A platform that counts the page instead of the list would state a total of exactly one full page.
    const isDoubtful = isFull && (proveFullPages || this.#pages === 1);
    if (trustTotal && !proveEnd && !this.#repeats && !isDoubtful) return this.#end();
    this.#proving = true;
    return undefined;
  }

  #takeEmpty(total: number | undefined): ListScanEnd | undefined {
    const stated = this.#total;
    if (stated === undefined) this.#total = total ?? 'none';
    // Beyond the end some platforms state 0, which then says nothing.
    else if (stated !== 'none' && total !== undefined && total !== stated && !(this.#proving && total === 0))
      this.#noteChange();
    this.#emptyPages += 1;
    const isMore = typeof this.#total === 'number' && this.#total > this.#records;
    // An empty page although the total promises more may be a hole. A next page with entries shows that it
    // was one.
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
    // Entries on a page beyond the total already show that the total is wrong. Such a page need not state a
    // total.
    if (this.#proving && total === undefined) return;
    if (this.#total === undefined) this.#total = total ?? 'none';
    else if (this.#total !== total) {
      if (this.#total !== 'none' && total !== undefined) this.#noteChange();
      this.#total = 'none';
    }
  }

  /** Notes that two totals differ. A total that is known to be wrong may change for reasons of its own. */
  #noteChange(): void {
    if (this.#options.trustTotal) this.#stable = false;
  }

  /**
   * Returns the counts of the page and starts new ones. A key twice in one page is the platform's own doing.
   * A key of an earlier page shows that the list moved, or that pages repeat.
   */
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
    // An empty list does not make its total wrong: the list itself may be what is wrong.
    if (doubt !== undefined) return { ...end, complete: false, problem: doubt, unproven: true };
    const missing = total === undefined ? 0 : total - this.#records;
    const isWrong = this.#exceeded || (this.#stable && missing !== 0);
    return {
      ...end,
      ...(isWrong && trustTotal && { totalIsWrong: true }),
      ...(missing > 0 && { shortOfTotal: missing }),
      ...(this.#doubled && { repeats: true }),
    };
  }
}

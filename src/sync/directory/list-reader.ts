import { doubtOf } from '../../extract/list-doubt.ts';
import { readPages } from '../../extract/pages.ts';
import { readReply } from '../../extract/replies.ts';
import type { ListOperationId } from '../../platform/operations.ts';
import type { Page } from '../../platform/platform.ts';
import { type RecordsReader, recordsOf, type Stream } from '../../streams/define.ts';
import { parametersFor } from '../../streams/owner.ts';
import { createRecordKeyReader } from '../../streams/row-key.ts';
import type { SyncContext } from '../context.ts';
import { plural } from '../count-text.ts';
import { askerOf, settingsOf } from '../stream-settings.ts';
import type { TotalsTrust } from '../trusted-totals.ts';
import type { ListEnd, ListOwner, OpenList } from './open-list.ts';

/** Most scans of a list that changes while it is read. */
const MAX_SCANS = 3;
/** Pages of one list under way at once. The client of the platform decides how many requests run. */
const PAGES_AT_ONCE = 16;

/** The outcome of reading a list, over all its scans. */
export interface ListOutcome extends ListEnd {
  readonly pages: number;
  readonly records: number;
  /** Says in one sentence what is missing. Undefined if nothing is missing. */
  readonly problem?: string;
  /** Says in one sentence what is odd, but no failure. */
  readonly note?: string;
}

export interface ListRun {
  readonly owner?: ListOwner;
  /** Whether the reader asks for the page after an end that only the total tells. */
  readonly proveEnd: boolean;
  readonly onPage?: (page: Page) => void;
}

/** Reads the lists of one stream into open lists: one list of the whole platform, or one for each owner. */
export class ListReader {
  readonly #ctx: SyncContext;
  readonly #stream: Stream;
  readonly #totals: TotalsTrust;
  readonly #query: Readonly<Record<string, unknown>>;
  readonly #select: (records: readonly unknown[]) => readonly unknown[];
  readonly #keyOf: (record: unknown) => string | undefined;
  readonly #records: RecordsReader | undefined;
  readonly #canAsk: boolean;

  constructor(ctx: SyncContext, stream: Stream, totals: TotalsTrust) {
    this.#ctx = ctx;
    this.#stream = stream;
    this.#totals = totals;
    const { query, select } = settingsOf(ctx.config, stream);
    this.#query = query;
    this.#select = select;
    this.#records = recordsOf(stream);
    this.#canAsk = askerOf(stream) !== undefined;
    this.#keyOf = createRecordKeyReader(stream);
  }

  /** Reads one list to its end, and closes it. Throws the error of the platform. */
  async read(scope: OpenList, run: ListRun): Promise<ListOutcome> {
    const outcome =
      this.#records === undefined
        ? await this.#readPaged(scope, run)
        : await this.#readReply(scope, run, this.#records);
    await scope.end(outcome);
    return outcome;
  }

  async #readReply(scope: OpenList, run: ListRun, records: RecordsReader): Promise<ListOutcome> {
    const { operation } = this.#stream;
    const reply = await readReply(this.#ctx.platform, {
      operation,
      ...this.#requestOf(run.owner),
      signal: this.#ctx.signal,
      records: (body) => records(body, run.owner?.key),
    });
    const page = { ...reply, items: this.#select(reply.items) };
    run.onPage?.(page);
    await scope.add(page);
    const came = {
      stable: true,
      pages: 1,
      records: page.items.length,
      repeats: this.#hasRepeats(page.items),
    };
    // The details of one item are whole, or `records` has refused them.
    const problem = this.#stream.updates
      ? undefined
      : doubtOf({ records: came.records, total: page.total, complains: page.complains });
    return problem === undefined ? { ...came, complete: true } : { ...came, complete: false, problem };
  }

  /**
   * Reads a list until it does not change during a scan. The rows of every scan are loaded, so that no row is
   * lost.
   */
  async #readPaged(scope: OpenList, run: ListRun): Promise<ListOutcome> {
    const operation = this.#stream.operation as ListOperationId;
    let [pages, records] = [0, 0];
    for (let scan = 1; ; scan += 1) {
      const trustTotal = this.#totals.isTrusted(operation);
      const request = {
        operation,
        ...this.#requestOf(run.owner),
        pageSize: this.#ctx.config.platform.pageSize,
        signal: this.#ctx.signal,
        keyOf: this.#keyOf,
        pagesAtOnce: PAGES_AT_ONCE,
        trustTotal,
        proveEnd: run.proveEnd,
        // The page after a full last page is asked for in lists of one row. A list of the whole platform is
        // proven by `proveEnd` from its second scan on.
        proveFullPages: run.owner !== undefined,
        hasSiblings: run.owner !== undefined,
        // A total alone tells the end of a list of one page. Where it is doubted, the page is read.
        known: scan > 1 || run.proveEnd || !trustTotal ? undefined : scope.onlyPage,
      };
      const end = await readPages(this.#ctx.platform, request, async (page) => {
        run.onPage?.(page);
        await scope.add(page);
      });
      pages += end.pages;
      records += end.records;
      if (end.totalIsWrong) await this.#totals.distrust(operation);
      // The total promises more entries, which the platform may hold back: no row counts as missing then. A
      // total that is not trusted is ignored if the platform can be asked for each row before the row is
      // deleted.
      const isShort = end.shortOfTotal !== undefined && (request.trustTotal || !this.#canAsk);
      if (end.stable || !end.complete || scan >= MAX_SCANS)
        return {
          ...end,
          stable: end.stable && !isShort,
          pages,
          records,
          ...problemOf(end),
          ...(end.shortOfTotal !== undefined && { note: describeShort(end) }),
        };
      this.#ctx.log.info({ operation }, 'the list changed while it was read: reading it again');
      await scope.restart();
    }
  }

  #hasRepeats(records: readonly unknown[]): boolean {
    const keys = records.map(this.#keyOf).filter((key) => key !== undefined);
    return new Set(keys).size < keys.length;
  }

  #requestOf(owner: ListOwner | undefined) {
    if (owner === undefined) return { query: this.#query };
    const { path, query } = parametersFor(this.#stream, owner.key);
    return { path, query: { ...this.#query, ...query } };
  }
}

function describeShort({ shortOfTotal = 0 }: { shortOfTotal?: number }): string {
  return `the total promises ${plural(shortOfTotal, 'more entry', 'more entries')} than the pages hold. A row that the pages lack is deleted only if the platform, when asked, does not have the row`;
}

function problemOf({ stable, problem }: ListEnd & { problem?: string }): { problem?: string } {
  if (problem !== undefined) return { problem };
  return stable
    ? {}
    : { problem: 'the list kept changing while it was read; entries may be missing until the next scan' };
}

import { readPage, readPages } from '../../extract/pages.ts';
import { readReply } from '../../extract/replies.ts';
import { createRowNormalizer } from '../../normalize/normalize-rows.ts';
import type { ListOperationId } from '../../platform/operations.ts';
import type { Page } from '../../platform/platform.ts';
import type { RawRecord, Stream } from '../../streams/define.ts';
import { parametersFor } from '../../streams/owner.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';
import type { TotalsTrust } from '../trusted-totals.ts';

/** What the first page of one list showed. */
export interface ListLook {
  readonly entries: number;
  /** Requests that reading the whole list takes. */
  readonly requests: number;
  /** Entries that were seen, as rows by column. */
  readonly rows: readonly RawRecord[];
}

export interface PageQuestion {
  readonly page: number;
  readonly perPage: number;
}

/** Looks at lists by small requests with the filters of the configuration. Nothing is stored. */
export class ListSampler {
  readonly #ctx: SyncContext;
  readonly #totals: TotalsTrust;

  constructor(ctx: SyncContext, totals: TotalsTrust) {
    this.#ctx = ctx;
    this.#totals = totals;
  }

  /**
   * Returns the number of entries in the list of the whole platform. Returns undefined if the platform states
   * no number that can be relied upon.
   */
  async readTotal(stream: Stream): Promise<number | undefined> {
    return this.#usableTotal(stream, await this.#readPage(stream, { page: 1, perPage: 1 }));
  }

  /** Reads one page of the list of the whole platform. Returns its entries as rows by column. */
  async readRows(stream: Stream, question: PageQuestion): Promise<RawRecord[]> {
    return this.#rowsOf(stream, (await this.#readPage(stream, question)).items);
  }

  /** Looks at the list of one parent row. Reads the whole list only if the list does not state its length. */
  async look(stream: Stream, owner: RawRecord): Promise<ListLook> {
    const { operation, records } = stream;
    const { signal, platform, config } = this.#ctx;
    if (records !== undefined) {
      const request = { operation, ...this.#inputOf(stream, owner), signal, records };
      const { items } = await readReply(platform, request);
      return { entries: items.length, requests: 1, rows: this.#rowsOf(stream, items, owner) };
    }
    const { pageSize } = config.platform;
    const page = await this.#readPage(stream, { page: 1, perPage: pageSize }, owner);
    const entries = this.#usableTotal(stream, page) ?? (await this.#countEntries(stream, owner));
    // Some platforms give fewer entries per page than are asked for.
    const perPage = page.items.length < entries ? Math.min(pageSize, page.items.length) : pageSize;
    const requests = Math.max(1, Math.ceil(entries / Math.max(1, perPage)));
    return { entries, requests, rows: this.#rowsOf(stream, page.items, owner) };
  }

  #readPage(stream: Stream, { page, perPage }: PageQuestion, owner?: RawRecord): Promise<Page> {
    const { platform, signal } = this.#ctx;
    const operation = stream.operation as ListOperationId;
    return readPage(
      platform,
      { operation, ...this.#inputOf(stream, owner), pageSize: perPage, signal },
      page,
    );
  }

  async #countEntries(stream: Stream, owner: RawRecord): Promise<number> {
    const request = {
      operation: stream.operation as ListOperationId,
      ...this.#inputOf(stream, owner),
      pageSize: this.#ctx.config.platform.pageSize,
      pagesAtOnce: 1,
      signal: this.#ctx.signal,
      keyOf: (record: unknown) => {
        const [row] = this.#rowsOf(stream, [record], owner);
        return row && JSON.stringify(stream.key.map((name) => String(row[name])));
      },
      trustTotal: false,
      proveEnd: true,
    };
    return (await readPages(this.#ctx.platform, request, async () => undefined)).records;
  }

  #inputOf(stream: Stream, owner: RawRecord = {}) {
    const { query } = settingsOf(this.#ctx.config, stream);
    if (stream.parent === undefined) return { query };
    const asked = parametersFor(stream, owner);
    return { path: asked.path, query: { ...query, ...asked.query } };
  }

  #rowsOf(stream: Stream, items: readonly unknown[], owner?: RawRecord): RawRecord[] {
    const normalize = createRowNormalizer(stream, { parseInstant: this.#ctx.parseInstant });
    return items.flatMap((item) => {
      const normalized = normalize(item, owner);
      if ('reject' in normalized) return [];
      const { row } = normalized;
      return [Object.fromEntries(stream.columns.map(({ name }, k) => [name, row[k]]))];
    });
  }

  #usableTotal({ operation }: Stream, { items, total }: Page): number | undefined {
    const isUsable = total !== undefined && total >= items.length && this.#totals.isTrusted(operation);
    return isUsable ? total : undefined;
  }
}

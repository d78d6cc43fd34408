import pMap from 'p-map';
import { describeError, PlatformError } from '../../errors.ts';
import { countRows } from '../../load/rows/missing-rows.ts';
import { readParents } from '../../load/rows/read-parents.ts';
import type { RawRecord, Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { sampleEvenly } from '../sample-evenly.ts';
import { settingsOf } from '../stream-settings.ts';
import { loadTotals } from '../trusted-totals.ts';
import { type ListLook, ListSampler } from './list-sampler.ts';

/** Rows of a parent whose lists are looked at. */
const SAMPLE_SIZE = 20;
const AT_ONCE = 8;

/**
 * How the number of entries is known. `stated`: the platform said it. `stored`: an earlier scan left the rows
 * in Postgres. `estimated`: it follows from the lists of some parents.
 */
export type Source = 'stated' | 'stored' | 'estimated' | 'unknown';

/** A row that was seen, and the number of rows of its list that it stands for. */
export interface SampledRow {
  readonly values: RawRecord;
  readonly weight: number;
}

/** The number of entries of one stream, and how it is known. */
export interface Extent {
  readonly source: Source;
  readonly entries: number | undefined;
  /** Requests of one complete scan. */
  readonly requests: number | undefined;
  /**
   * Rows that were seen on the way. With the rows that they stand for, they are `sampledShare` of all rows.
   */
  readonly sample: readonly SampledRow[];
  readonly sampledShare: number;
  /** Says what is not known, and why. */
  readonly problem?: string;
}

const unknown: Extent = {
  source: 'unknown',
  entries: undefined,
  requests: undefined,
  sample: [],
  sampledShare: 0,
};

/** Finds out how many entries each stream has, by a few requests and once for each stream. Stores nothing. */
export class ListExtents {
  readonly #ctx: SyncContext;
  readonly #sampler: ListSampler;
  readonly #extents = new Map<Stream, Promise<Extent>>();

  private constructor(ctx: SyncContext, sampler: ListSampler) {
    this.#ctx = ctx;
    this.#sampler = sampler;
  }

  static async open(ctx: SyncContext): Promise<ListExtents> {
    return new ListExtents(ctx, new ListSampler(ctx, await loadTotals(ctx)));
  }

  /** Returns the extent of a stream. Throws only errors that every stream would meet. */
  of(stream: Stream): Promise<Extent> {
    const extent = this.#extents.get(stream) ?? this.#find(stream);
    this.#extents.set(stream, extent);
    return extent;
  }

  /** Tells whether a scan of the stream was read to its end, so that its rows are in Postgres. */
  async isStored({ name }: Stream): Promise<boolean> {
    const scans = await this.#ctx.ledger.scans.readLast(name, 5);
    return scans.some(({ finishedAt, complete }) => finishedAt !== undefined && complete);
  }

  async #find(stream: Stream): Promise<Extent> {
    try {
      if (stream.parent === undefined) return await this.#findRoot(stream);
      if (!stream.updates) return await this.#findChildren(stream, stream.parent.stream);
      const { entries, source } = await this.of(stream.parent.stream);
      return { ...unknown, source, entries, requests: entries };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind === 'auth' || error.unreachable) throw error;
      return { ...unknown, problem: describeError(error) };
    }
  }

  async #findRoot(stream: Stream): Promise<Extent> {
    const stated = await this.#sampler.readTotal(stream);
    const entries = stated ?? (await this.#countStored(stream));
    if (entries === undefined)
      return { ...unknown, problem: 'the platform states no number of entries that can be relied upon' };
    const requests = Math.max(1, Math.ceil(entries / this.#ctx.config.platform.pageSize));
    return { ...unknown, source: stated === undefined ? 'stored' : 'stated', entries, requests };
  }

  async #findChildren(stream: Stream, parent: Stream): Promise<Extent> {
    if (!settingsOf(this.#ctx.config, parent).enabled && !(await this.isStored(parent))) {
      const problem = `streams.${parent.name}, whose rows have these lists, is off and was never read`;
      return { ...unknown, source: 'stored', entries: 0, requests: 0, problem };
    }
    const parents = (await this.of(parent)).entries;
    const stored = await this.#countStored(stream);
    if (parents !== undefined && stored !== undefined) {
      const perList = stored / Math.max(1, parents) / this.#ctx.config.platform.pageSize;
      const requests = parents * Math.max(1, Math.ceil(perList));
      return { ...unknown, source: 'stored', entries: stored, requests };
    }
    const looks = await this.#lookAt(stream, await this.#sampleOf(parent));
    if (parents !== undefined) return extrapolate(looks, parents);
    return { ...unknown, problem: `the number of ${parent.name}, each with such a list, is not known` };
  }

  /**
   * Looks at the lists of some parents. A list that the platform refuses is left out. Throws the refusal if
   * all lists are refused.
   */
  async #lookAt(stream: Stream, owners: readonly RawRecord[]): Promise<ListLook[]> {
    let refusal: PlatformError | undefined;
    const look = async (owner: RawRecord): Promise<ListLook | undefined> => {
      try {
        return await this.#sampler.look(stream, owner);
      } catch (error) {
        if (!(error instanceof PlatformError) || !error.refusesItem) throw error;
        refusal = error;
        return undefined;
      }
    };
    const looks = await pMap(owners, look, { concurrency: AT_ONCE, signal: this.#ctx.signal });
    const seen = looks.filter((each) => each !== undefined);
    if (seen.length === 0 && refusal !== undefined) throw refusal;
    return seen;
  }

  /** Picks some rows, from all over the list, of a stream that is the parent of others. */
  async #sampleOf(stream: Stream): Promise<RawRecord[]> {
    const { db, schemas, config, signal } = this.#ctx;
    if (await this.isStored(stream)) {
      const { filter } = settingsOf(config, stream);
      const rows = await readParents(db, schemas.data, stream, { filter });
      return sampleEvenly(rows, SAMPLE_SIZE).map(({ key }) => key);
    }
    const { entries, sample } = await this.of(stream);
    if (stream.parent !== undefined) return sampleEvenly(sample, SAMPLE_SIZE).map(({ values }) => values);
    if (entries === undefined || entries <= SAMPLE_SIZE)
      return this.#sampler.readRows(stream, { page: 1, perPage: SAMPLE_SIZE });
    const pages = Array.from({ length: entries }, (_, k) => k + 1);
    const read = (page: number) => this.#sampler.readRows(stream, { page, perPage: 1 });
    const found = await pMap(sampleEvenly(pages, SAMPLE_SIZE), read, { concurrency: AT_ONCE, signal });
    return found.flat().slice(0, SAMPLE_SIZE);
  }

  async #countStored(stream: Stream): Promise<number | undefined> {
    if (!(await this.isStored(stream))) return undefined;
    const { db, schemas, config } = this.#ctx;
    const { filter } = settingsOf(config, stream);
    return (await countRows(db, schemas.data, stream, { filter, misses: 1 })).live;
  }
}

/** Estimates the lists of all parents from the lists of some. */
function extrapolate(looks: readonly ListLook[], parents: number): Extent {
  const factor = looks.length === 0 ? 0 : parents / looks.length;
  const sum = (of: (look: ListLook) => number) => looks.reduce((total, look) => total + of(look), 0);
  return {
    source: looks.length === parents ? 'stated' : 'estimated',
    entries: Math.round(factor * sum(({ entries }) => entries)),
    requests: Math.round(factor * sum(({ requests }) => requests)),
    sample: looks.flatMap(({ rows, entries }) =>
      rows.map((values) => ({ values, weight: entries / rows.length })),
    ),
    sampledShare: factor === 0 ? 1 : 1 / factor,
  };
}

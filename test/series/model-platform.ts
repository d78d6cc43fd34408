import type { FailureMeaning, WindowRequest } from '../../src/series/dividing-reader.ts';
import type { RowsBySeries } from '../../src/series/rows.ts';
import type { Series } from '../../src/series/types.ts';

export interface ModelRow {
  readonly seriesId: number;
  /** Epoch microseconds. */
  readonly time: number;
  readonly value: number;
  /** Number of the request from which on the row can be seen; 0 for always. */
  readonly visibleFrom: number;
}

/** How the model platform behaves: every way in which a history operation may hide rows. */
export interface ModelBehaviour {
  readonly capRows: number;
  readonly capCounts: 'total' | 'series';
  readonly limitCounts: 'total' | 'series';
  readonly limitIgnored: boolean;
  readonly order: 'ascending' | 'descending';
  /** How rows of several series follow each other when a total is cut: series by series, or by time. */
  readonly sequence: 'series' | 'time';
  readonly offsetIgnored: boolean;
  /** Rows just outside the window are returned too. */
  readonly looseBounds: boolean;
  /** Windows that hold more rows than this time out. */
  readonly timeoutAbove: number;
  /** A greater `limit` is refused. */
  readonly maxLimit: number;
  /** This series cannot be read. */
  readonly poisonedSeries: number | undefined;
  /** No window with this second can be read. */
  readonly poisonedSec: number | undefined;
  /** Every n-th request fails. */
  readonly failEvery: number;
  /** How a series without rows is told: by its name, or by leaving it out. */
  readonly empty: 'named' | 'omitted';
  /** Every n-th reply leaves out a series, whatever rows it has; that is a fault only where series without rows are named. */
  readonly forgetEvery: number;
}

export const wellBehaved: ModelBehaviour = {
  capRows: Number.POSITIVE_INFINITY,
  capCounts: 'total',
  limitCounts: 'total',
  limitIgnored: false,
  order: 'ascending',
  sequence: 'series',
  offsetIgnored: false,
  looseBounds: false,
  timeoutAbove: Number.POSITIVE_INFINITY,
  maxLimit: Number.POSITIVE_INFINITY,
  poisonedSeries: undefined,
  poisonedSec: undefined,
  failEvery: Number.POSITIVE_INFINITY,
  empty: 'omitted',
  forgetEvery: Number.POSITIVE_INFINITY,
};

export class ModelError extends Error {
  constructor(readonly meaning: FailureMeaning) {
    super(`the model fails: ${meaning}`);
  }
}

/** A platform in memory whose whole truth is known. */
export class ModelPlatform {
  requests = 0;
  /** `series:second` of every cell whose rows reached the offset where a dense second must be paged. */
  readonly #rows: readonly ModelRow[];
  readonly #behaviour: ModelBehaviour;

  constructor(rows: readonly ModelRow[], behaviour: ModelBehaviour) {
    this.#rows = rows;
    this.#behaviour = behaviour;
  }

  read = async (request: WindowRequest): Promise<RowsBySeries> => {
    this.requests += 1;
    const found = this.#find(request);
    this.#fail(request, found.length);
    return this.#name(toRowsBySeries(this.#cut(found, request)), request);
  };

  #name(rows: RowsBySeries, { series }: WindowRequest): RowsBySeries {
    const { empty, forgetEvery } = this.#behaviour;
    if (empty === 'omitted') return rows;
    const named = new Map(series.map(({ id }) => [id, rows.get(id) ?? { times: [], values: [] }]));
    const [first] = series;
    if (first !== undefined && this.requests % forgetEvery === 0) named.delete(first.id);
    return named;
  }

  #find({ series, fromSec, toSec }: WindowRequest): ModelRow[] {
    const ids = new Set(series.map(({ id }) => id));
    const slack = this.#behaviour.looseBounds ? 1e6 : 0;
    return this.#rows.filter(
      (row) =>
        ids.has(row.seriesId) &&
        row.time >= fromSec * 1e6 - slack &&
        row.time < toSec * 1e6 + slack &&
        row.visibleFrom <= this.requests,
    );
  }

  #fail({ series, fromSec, toSec, limit }: WindowRequest, rows: number): void {
    const { failEvery, maxLimit, timeoutAbove, poisonedSeries, poisonedSec } = this.#behaviour;
    if (limit > maxLimit) throw new ModelError('refused');
    if (this.requests % failEvery === 0) throw new ModelError('smaller');
    if (rows > timeoutAbove) throw new ModelError('smaller');
    if (series.some(({ id }) => id === poisonedSeries)) throw new ModelError('isolate');
    if (poisonedSec !== undefined && fromSec <= poisonedSec && poisonedSec < toSec)
      throw new ModelError('smaller');
  }

  #cut(rows: readonly ModelRow[], { limit, offset }: WindowRequest): ModelRow[] {
    const { capRows, capCounts, limitCounts, limitIgnored, order, sequence, offsetIgnored } = this.#behaviour;
    const sign = order === 'ascending' ? 1 : -1;
    const sorted = [...rows].sort(
      (a, b) =>
        (sequence === 'series' ? a.seriesId - b.seriesId : 0) ||
        sign * (a.time - b.time) ||
        a.seriesId - b.seriesId,
    );
    const from = offsetIgnored ? 0 : offset;
    const limited = take(sorted, limitCounts, from, limitIgnored ? Number.POSITIVE_INFINITY : limit);
    return take(limited, capCounts, 0, capRows);
  }
}

function take(
  rows: readonly ModelRow[],
  counts: 'total' | 'series',
  from: number,
  count: number,
): ModelRow[] {
  if (counts === 'total') return rows.slice(from, from + count);
  const seen = new Map<number, number>();
  return rows.filter((row) => {
    const position = seen.get(row.seriesId) ?? 0;
    seen.set(row.seriesId, position + 1);
    return position >= from && position < from + count;
  });
}

function toRowsBySeries(rows: readonly ModelRow[]): RowsBySeries {
  const bySeries = new Map<number, { times: number[]; values: unknown[] }>();
  for (const row of rows) {
    const entry = bySeries.get(row.seriesId) ?? { times: [], values: [] };
    entry.times.push(row.time);
    entry.values.push(row.value);
    bySeries.set(row.seriesId, entry);
  }
  return bySeries;
}

export function modelSeries(count: number): Series[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    object: 'model',
    property: `p${id}`,
    primitiveType: 'Double',
  }));
}

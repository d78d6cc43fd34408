import { decodeHistory } from '../../src/platform/history/decode-history.ts';
import type { RowsBySeries } from '../../src/series/rows.ts';
import { type Series, seriesName } from '../../src/series/types.ts';
import type { FailureMeaning, WindowRequest } from '../../src/series/window-request.ts';

export interface ModelRow {
  readonly seriesId: number;
  /** Epoch microseconds. */
  readonly time: number;
  readonly value: number;
  /** Number of the request from which on the row is visible. 0 for always. */
  readonly visibleFrom: number;
}

/** Forms of a reply that says nothing of a series. */
export type SilentForm =
  | 'no results'
  | 'empty result'
  | 'no datas'
  | 'null datas'
  | 'message'
  | 'message beside rows';

/** How the model platform behaves: every way in which a history operation may hide rows. */
export interface ModelBehaviour {
  readonly capRows: number;
  readonly capCounts: 'total' | 'series';
  readonly limitCounts: 'total' | 'series';
  readonly limitIgnored: boolean;
  readonly order: 'ascending' | 'descending';
  /** Order of the rows of several series when their total is cut: series by series, or by time. */
  readonly sequence: 'series' | 'time';
  readonly offsetIgnored: boolean;
  /** True if rows just outside the window are returned too. */
  readonly looseBounds: boolean;
  /** True if the last row before the window is returned too, whatever its time. */
  readonly lastBefore: boolean;
  /** Bounds that have no effect. */
  readonly boundsIgnored: 'none' | 'ge' | 'lt' | 'both';
  /** Times of replies are later than times of requests by this many seconds. */
  readonly shiftSec: number;
  /** Windows longer than this cannot be read. */
  readonly maxSpanSec: number;
  /** Windows with more rows than this time out. */
  readonly timeoutAbove: number;
  /** A larger `limit` than this is refused. */
  readonly maxLimit: number;
  /** A series that cannot be read. */
  readonly poisonedSeries: number | undefined;
  /** A second that no readable window may hold. */
  readonly poisonedSec: number | undefined;
  /** Every n-th request fails. */
  readonly failEvery: number;
  /** How a reply treats a series without rows: it names the series, or leaves it out. */
  readonly empty: 'named' | 'omitted';
  /**
   * Every n-th reply leaves out a series, whatever rows it has. That is a fault only if series without rows
   * are named.
   */
  readonly forgetEvery: number;
  /** Every n-th reply has the form `silentForm`, whatever rows there are. */
  readonly silentEvery: number;
  readonly silentForm: SilentForm;
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
  lastBefore: false,
  boundsIgnored: 'none',
  shiftSec: 0,
  maxSpanSec: Number.POSITIVE_INFINITY,
  timeoutAbove: Number.POSITIVE_INFINITY,
  maxLimit: Number.POSITIVE_INFINITY,
  poisonedSeries: undefined,
  poisonedSec: undefined,
  failEvery: Number.POSITIVE_INFINITY,
  empty: 'omitted',
  forgetEvery: Number.POSITIVE_INFINITY,
  silentEvery: Number.POSITIVE_INFINITY,
  silentForm: 'no results',
};

export class ModelError extends Error {
  constructor(readonly meaning: FailureMeaning) {
    super(`the model fails: ${meaning}`);
  }
}

/** Made once: a test meets a hundred thousand of them, and each would note where it was made. */
const failures: Readonly<Record<'smaller' | 'refused' | 'isolate', ModelError>> = {
  smaller: new ModelError('smaller'),
  refused: new ModelError('refused'),
  isolate: new ModelError('isolate'),
};

/** A platform in memory whose rows are all known. Its replies are decoded like those of a real platform. */
export class ModelPlatform {
  requests = 0;
  /** Rows by series, ascending in time, because a test asks for thousands of windows. */
  readonly #rows = new Map<number, ModelRow[]>();
  readonly #behaviour: ModelBehaviour;

  constructor(rows: readonly ModelRow[], behaviour: ModelBehaviour) {
    for (const row of rows.toSorted((a, b) => a.time - b.time)) {
      const ofSeries = this.#rows.get(row.seriesId);
      if (ofSeries === undefined) this.#rows.set(row.seriesId, [row]);
      else ofSeries.push(row);
    }
    this.#behaviour = behaviour;
  }

  read = async (request: WindowRequest): Promise<RowsBySeries> => {
    this.requests += 1;
    const found = this.#find(request);
    this.#fail(request, found.length);
    return await decode(this.#reply(toRowsBySeries(this.#cut(found, request)), request), request);
  };

  #reply(rows: RowsBySeries, { series }: WindowRequest): object {
    const { empty, forgetEvery, silentEvery, silentForm } = this.#behaviour;
    const forgotten = this.requests % forgetEvery === 0 ? series[0] : undefined;
    const named = series.filter((each) => each !== forgotten && (empty === 'named' || rows.has(each.id)));
    const results = named.map((each) => resultOf(each, rows.get(each.id)));
    return this.requests % silentEvery === 0 ? silence(silentForm, results) : { results };
  }

  #find({ series, fromSec, toSec }: WindowRequest): ModelRow[] {
    const { looseBounds, boundsIgnored, lastBefore } = this.#behaviour;
    const slack = looseBounds ? 1e6 : 0;
    const ignores = (bound: 'ge' | 'lt') => boundsIgnored === bound || boundsIgnored === 'both';
    const from = ignores('ge') ? Number.NEGATIVE_INFINITY : fromSec * 1e6 - slack;
    const to = ignores('lt') ? Number.POSITIVE_INFINITY : toSec * 1e6 + slack;
    const isVisible = ({ visibleFrom }: ModelRow) => visibleFrom <= this.requests;
    return [...new Set(series.map(({ id }) => id))].flatMap((id) => {
      const rows = this.#rows.get(id) ?? [];
      const found = rows.slice(indexOf(rows, from), indexOf(rows, to)).filter(isVisible);
      const last = lastBefore ? rows.slice(0, indexOf(rows, fromSec * 1e6)).findLast(isVisible) : undefined;
      return last === undefined || found.includes(last) ? found : [last, ...found];
    });
  }

  #fail({ series, fromSec, toSec, limit }: WindowRequest, rows: number): void {
    const { failEvery, maxLimit, maxSpanSec, timeoutAbove, poisonedSeries, poisonedSec } = this.#behaviour;
    if (limit > maxLimit) throw failures.refused;
    if (this.requests % failEvery === 0) throw failures.smaller;
    if (rows > timeoutAbove || toSec - fromSec > maxSpanSec) throw failures.smaller;
    if (series.some(({ id }) => id === poisonedSeries)) throw failures.isolate;
    if (poisonedSec !== undefined && fromSec <= poisonedSec && poisonedSec < toSec) throw failures.smaller;
  }

  #cut(rows: readonly ModelRow[], { limit, offset }: WindowRequest): ModelRow[] {
    const { capRows, capCounts, limitCounts, limitIgnored, order, sequence, offsetIgnored, shiftSec } =
      this.#behaviour;
    const sign = order === 'ascending' ? 1 : -1;
    const sorted = rows
      .toSorted(
        (a, b) =>
          (sequence === 'series' ? a.seriesId - b.seriesId : 0) ||
          sign * (a.time - b.time || a.value - b.value) ||
          a.seriesId - b.seriesId,
      )
      .map((row) => ({ ...row, time: row.time + shiftSec * 1e6 }));
    const from = offsetIgnored ? 0 : offset;
    const limited = take(sorted, limitCounts, from, limitIgnored ? Number.POSITIVE_INFINITY : limit);
    return take(limited, capCounts, 0, capRows);
  }
}

/** Returns the position of the first row that is not before a time. The rows are ascending. */
function indexOf(rows: readonly ModelRow[], time: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.time ?? time) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function resultOf(
  series: Series,
  rows: { times: readonly number[]; values: readonly unknown[] } | undefined,
) {
  const datas = (rows?.times ?? []).map((time, k) => [time, rows?.values[k]]);
  return { name: seriesName(series), fields: ['time', 'value'], datas };
}

function silence(form: SilentForm, results: readonly object[]): object {
  const [first, ...others] = results;
  switch (form) {
    case 'no results':
      return {};
    case 'empty result':
      return { results: [{}, ...others] };
    case 'no datas':
      return { results: [{ ...first, fields: ['time', 'value'], datas: undefined }, ...others] };
    case 'null datas':
      return { results: [{ ...first, fields: ['time', 'value'], datas: null }, ...others] };
    case 'message':
      return { message: 'not ready', results: [] };
    case 'message beside rows':
      return { message: 'not ready', results: others };
  }
}

/**
 * Decodes a reply as the client does. Parts of a malformed reply may succeed, so the failure counts as
 * `smaller`.
 */
async function decode(body: object, request: WindowRequest): Promise<RowsBySeries> {
  const ids = new Map(request.series.map((series) => [seriesName(series), series.id]));
  const { fromSec, toSec, limit, offset } = request;
  try {
    const columns = decodeHistory(body, { series: [...ids.keys()], fromSec, toSec, limit, offset });
    const decoded = columns.map(async ({ name, rows, timeAt, valueAt }) => {
      const listed = await rows.list();
      const times = listed.map((row) => row[timeAt] as number);
      return [ids.get(name) as number, { times, values: listed.map((row) => row[valueAt]) }] as const;
    });
    return new Map(await Promise.all(decoded));
  } catch {
    throw failures.smaller;
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

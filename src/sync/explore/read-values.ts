import { readCurrentValues } from '../../load/rows/read-current-values.ts';
import type { PageOrder, PointQuery, PointStore } from '../../load/stores/store.ts';
import type { HistoryStream } from '../../series/history-stream.ts';
import type { Quality, Range, Series, SeriesPoints } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { type ExactValue, exactValue } from './exact-value.ts';

/** A stored point with all digits of its value. Times are epoch microseconds. */
export interface RawPoint {
  readonly at: number;
  readonly value: ExactValue | undefined;
  readonly quality: Quality;
}

/** A page of raw points. `next` is the range that the next page is read from; undefined on the last page. */
export interface RawPage {
  readonly items: readonly RawPoint[];
  readonly next: Range | undefined;
}

/** Reads a page of the raw points of a series. A page goes on where the one before ended, by time. */
export async function readRawPage(
  store: PointStore,
  question: { stream: HistoryStream; series: Series; range: Range; order: PageOrder; limit: number },
): Promise<RawPage> {
  const { stream, series, range, order, limit } = question;
  const points = await store.readPage({ ...question, stream: stream.name, limit: limit + 1 });
  const items = rawPoints(series, points).slice(0, limit);
  const last = items.at(-1)?.at;
  if (last === undefined || points.times.length <= limit) return { items, next: undefined };
  const next = order === 'oldest first' ? { from: last + 1, to: range.to } : { from: range.from, to: last };
  return { items, next };
}

function rawPoints(series: Series, { times, values, texts, qualities }: SeriesPoints): RawPoint[] {
  return times.map((at, k) => ({
    at,
    value: exactValue(series, values[k] ?? null, texts[k] ?? null),
    quality: qualities[k] ?? null,
  }));
}

/** The newest polled value of a series. */
export interface CurrentPoint extends RawPoint {
  /** The first poll that showed this value, in epoch microseconds. */
  readonly changedAt: number;
}

/** Reads the newest polled value of a series. Returns undefined if it was never polled. */
export async function readCurrent(
  { db, schemas }: Pick<SyncContext, 'db' | 'schemas'>,
  series: Series,
): Promise<CurrentPoint | undefined> {
  const [newest] = await readCurrentValues(db, schemas.data, [series.id]);
  if (newest === undefined) return undefined;
  const { at, value, text, quality, changedAt } = newest;
  return { at, value: exactValue(series, value, text), quality, changedAt };
}

/** A statement to copy, and the store that takes it. */
export interface StoreQuery extends PointQuery {
  readonly store: string;
}

/** Writes for each store with a language the statement that reads these points. */
export function describeQueries(
  stores: readonly PointStore[],
  { stream, ...stretch }: { stream: HistoryStream; series: readonly Series[]; range: Range },
): StoreQuery[] {
  return stores.flatMap((store) => {
    const query = store.describeRead?.({ ...stretch, stream: stream.name });
    return query === undefined ? [] : [{ store: store.id, ...query }];
  });
}

import { type Points, readLast, seenAt } from '../signals/signal.ts';
import type { SimulatorDialect } from '../simulator-dialect.ts';
import type { Answer, World } from '../world.ts';
import { aggregate } from './aggregate-points.ts';
import { type HistoryQuery, parseHistoryRequest } from './history-request.ts';
import type { HistoryResult } from './history-result.ts';
import type { Selected } from './select.ts';
import { writeHistory } from './write-history.ts';

/**
 * Answers a history request. Each series is read, and then cut by limit, offset and the caps of the dialect.
 */
export function answerHistory(world: World, body: unknown): Answer {
  const query = parseHistoryRequest(world, body);
  const results = query.selected.map((selected) => ({ selected, points: readEntry(world, query, selected) }));
  return { json: writeHistory(cut(results, query, world.dialect), world.dialect) };
}

/** Returns the most rows that later cuts can leave of one series, counted from the first row. */
function rowsNeeded({ limit, offset }: HistoryQuery, dialect: SimulatorDialect): number {
  const isPerSeries = dialect.limitMeaning === 'series';
  return offset + Math.min(limit, isPerSeries ? (dialect.hiddenCap ?? limit) : limit);
}

function readEntry(world: World, query: HistoryQuery, { fn, found }: Selected): Points {
  const nothing = { times: [], values: [] };
  const { property, signal } = found;
  if (!signal || (property?.persisted !== true && property?.logged !== true)) return nothing;
  const { dialect, plant } = world;
  const nowMs = world.nowMs();
  const seen = seenAt(signal, nowMs, dialect.lateBySec * 1000);
  const { fromMs, toMs, grouping, fill } = query;
  const isDescending = dialect.historyOrder === 'descending';
  if (fn !== undefined) {
    const all = seen.read(fromMs, toMs, Number.POSITIVE_INFINITY);
    const rows = aggregate(all, fn, { fromMs, toMs: Math.min(toMs, nowMs), grouping, fill });
    return isDescending ? reverse(rows) : rows;
  }
  const needed = rowsNeeded(query, dialect);
  if (!isDescending) return seen.read(fromMs, toMs, needed);
  return reverse(
    readLast(seen, Math.max(fromMs, Math.min(plant.seed.startMs, 0)), Math.min(toMs, nowMs + 1), needed),
  );
}

function reverse({ times, values }: Points): Points {
  return { times: times.reverse(), values: values.reverse() };
}

/** Cuts the results by `offset`, `limit` and the hidden cap, in the meanings that the dialect gives them. */
function cut(results: HistoryResult[], query: HistoryQuery, dialect: SimulatorDialect): HistoryResult[] {
  const { limit, offset } = query;
  const limited =
    dialect.limitMeaning === 'series'
      ? results.map((result) => slice(result, offset, offset + limit))
      : dialect.limitMeaning === 'total'
        ? sliceInTurn(results, offset, offset + limit)
        : sliceByTime(results, { from: offset, to: offset + limit, order: dialect.historyOrder });
  const cap = dialect.hiddenCap;
  if (cap === null) return limited;
  return dialect.hiddenCapMeaning === 'series'
    ? limited.map((result) => slice(result, 0, cap))
    : sliceInTurn(limited, 0, cap);
}

function slice({ selected, points }: HistoryResult, from: number, to: number): HistoryResult {
  if (from === 0 && to >= points.times.length) return { selected, points };
  return { selected, points: { times: points.times.slice(from, to), values: points.values.slice(from, to) } };
}

/** Cuts the results. Rows are counted over all series, one series after the other. */
function sliceInTurn(results: HistoryResult[], from: number, to: number): HistoryResult[] {
  let before = 0;
  return results.map((result) => {
    const start = before;
    before += result.points.times.length;
    return slice(result, Math.max(0, from - start), Math.max(0, to - start));
  });
}

/** Cuts the results. Rows are counted over all series in the order of their times. */
function sliceByTime(
  results: HistoryResult[],
  cutting: { from: number; to: number; order: SimulatorDialect['historyOrder'] },
): HistoryResult[] {
  const sign = cutting.order === 'ascending' ? 1 : -1;
  const places = results
    .flatMap(({ points }, place) => points.times.map((time) => ({ time, place })))
    .sort((one, other) => sign * (one.time - other.time))
    .map(({ place }) => place);
  const skipped = countEach(places.slice(0, cutting.from), results.length);
  const kept = countEach(places.slice(cutting.from, cutting.to), results.length);
  return results.map((result, place) => {
    const from = skipped[place] ?? 0;
    return slice(result, from, from + (kept[place] ?? 0));
  });
}

/** Counts how often each number below `length` occurs. */
function countEach(numbers: readonly number[], length: number): number[] {
  const counts = new Array<number>(length).fill(0);
  for (const number of numbers) counts[number] = (counts[number] ?? 0) + 1;
  return counts;
}

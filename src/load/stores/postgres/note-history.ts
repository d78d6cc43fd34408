import type { Queryable } from '../../../postgres/queryable.ts';
import type { RollupMarks } from '../../../postgres/rollup-marks.ts';
import { NumberRows } from '../../../series/number-rows.ts';
import { PIECE_COLUMNS, PieceMaker } from '../../../series/rollup.ts';
import type { Range, SeriesPoints } from '../../../series/types.ts';
import type { ZoneGrid } from '../../../series/zone-grid.ts';
import type { Removal } from '../store.ts';
import type { MergedPoints } from './write.ts';

/** Notes, in the transaction of a change of the history, what the rollups have to follow. */
export interface HistoryNotes {
  /** Notes points that were appended to ranges without points. */
  noteAppended(tx: Queryable, series: readonly SeriesPoints[]): Promise<void>;
  /** Notes points that were inserted or replaced. Those that a second reading finds came late. */
  noteMerged(tx: Queryable, merged: readonly MergedPoints[], how: { isReread: boolean }): Promise<void>;
  noteRemoved(tx: Queryable, removals: readonly Removal[]): Promise<void>;
}

export interface HistoryNoting {
  readonly marks: RollupMarks;
  readonly grid: ZoneGrid;
  /** The identity of the store. */
  readonly store: string;
  /** Whether rollups are kept. Otherwise only late points are noted. */
  readonly keepsRollups: boolean;
}

/** Pieces of fewer points than this on average cost more than reading the points once more. */
const LEAST_POINTS = 4;

export function createHistoryNotes({ marks, grid, store, keepsRollups }: HistoryNoting): HistoryNotes {
  return {
    async noteAppended(tx, series) {
      if (!keepsRollups) return;
      const range = rangeOf(series);
      if (range === undefined) return;
      const seriesIds = series.map((points) => points.series.id);
      const pieces = makePieces(series, grid);
      const points = series.reduce((sum, { times }) => sum + times.length, 0);
      if (points < pieces.length * LEAST_POINTS) await marks.noteChanged(tx, { seriesIds, range });
      else await marks.noteAppended(tx, { seriesIds, range, pieces: pieces.toBytes(), zone: grid.zone });
    },

    async noteMerged(tx, merged, { isReread }) {
      if (keepsRollups) for (const change of groupByHours(merged, grid)) await marks.noteChanged(tx, change);
      if (isReread) await marks.noteLate(tx, findLate(merged, grid), store);
    },

    async noteRemoved(tx, removals) {
      if (!keepsRollups) return;
      for (const { series, ranges } of removals) {
        const from = ranges[0]?.from;
        const to = ranges.at(-1)?.to;
        if (from !== undefined && to !== undefined)
          await marks.noteChanged(tx, { seriesIds: [series.id], range: { from, to } });
      }
    },
  };
}

/** Adds up the points in pieces by the hour. Everything between the points of one series is covered. */
function makePieces(series: readonly SeriesPoints[], grid: ZoneGrid): NumberRows {
  const pieces = new NumberRows(PIECE_COLUMNS);
  const maker = new PieceMaker(pieces, grid.hourAt);
  for (const { series: own, times, values } of series) {
    maker.begin(own.id, undefined);
    for (let i = 0; i < times.length; i += 1) maker.add(times[i] as number, values[i] ?? Number.NaN);
  }
  maker.end();
  return pieces;
}

function rangeOf(series: readonly SeriesPoints[]): Range | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { times } of series) {
    from = Math.min(from, times[0] ?? from);
    to = Math.max(to, (times.at(-1) ?? to - 1) + 1);
  }
  return from < to ? { from, to } : undefined;
}

/** Joins the changes of each series by hours, and series whose changes lie in the same hours. */
function groupByHours(
  merged: readonly MergedPoints[],
  grid: ZoneGrid,
): { seriesIds: number[]; range: Range }[] {
  const groups = new Map<number, Set<number>>();
  for (const { seriesId, first, last } of merged)
    for (const at of [first, last]) {
      const hour = grid.hourAt(at).from;
      const ids = groups.get(hour) ?? new Set();
      groups.set(hour, ids.add(seriesId));
    }
  return [...groups].map(([from, ids]) => ({
    seriesIds: [...ids],
    range: { from, to: grid.hourAt(from).to },
  }));
}

function findLate(merged: readonly MergedPoints[], grid: ZoneGrid) {
  const byHour = new Map<string, { seriesId: number; hour: number; oldest: number; points: number }>();
  for (const { seriesId, oldest, inserted } of merged) {
    if (oldest === null) continue;
    const hour = grid.hourAt(oldest).from;
    const key = `${seriesId} ${hour}`;
    const known = byHour.get(key);
    if (known === undefined) byHour.set(key, { seriesId, hour, oldest, points: inserted });
    else {
      known.oldest = Math.min(known.oldest, oldest);
      known.points += inserted;
    }
  }
  return [...byHour.values()];
}

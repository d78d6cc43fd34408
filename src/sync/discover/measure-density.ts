import { ReplySizes, sizeOf } from '../../series/reply-sizes.ts';
import { seriesName } from '../../series/types.ts';
import { seriesSecOf } from '../../series/window.ts';
import { type SyncContext, settledHead } from '../context.ts';
import { loadReplySizes } from '../history/learn-reply-sizes.ts';
import { readPartsOfWindow } from '../history/read-one-window.ts';
import { sampleEvenly } from '../sample-evenly.ts';
import type { SeriesName } from '../selection/select-series.ts';

/** Series whose last hour is read. */
export const MEASURED_SERIES = 20;
const HOUR_SEC = 3_600;

/**
 * Measures the points per series in the last hour, by the history of some series. Returns the reason, in one
 * sentence, if their history cannot be read.
 */
export async function measureDensity(
  ctx: SyncContext,
  names: readonly SeriesName[],
  settleMs: number,
): Promise<number | string> {
  const byName = new Map(sampleEvenly(names, MEASURED_SERIES).map((name) => [seriesName(name), name]));
  const series = [...byName.values()].map((name, id) => ({ ...name, id, primitiveType: null }));
  if (series.length === 0) return 'no series was seen whose points could be counted';
  const toSec = settledHead(ctx, settleMs) / 1e6;
  const read = { rows: 0, seriesSec: 0, reason: 'nothing could be read' };
  const lastHour = { series, fromSec: toSec - HOUR_SEC, toSec };
  await readPartsOfWindow(ctx, lastHour, {
    replySizes: new ReplySizes((await loadReplySizes(ctx)).lessons),
    onComplete: async (part, rows) => {
      read.rows += sizeOf(rows).rows;
      read.seriesSec += seriesSecOf(part);
    },
    onUnreadable: async (_, reason) => {
      read.reason = reason;
    },
  });
  if (read.seriesSec === 0) return `the history of ${series.length} series could not be read: ${read.reason}`;
  return (read.rows * HOUR_SEC) / read.seriesSec;
}

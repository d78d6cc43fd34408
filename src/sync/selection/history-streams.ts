import type { Selection } from '../../config/config-schema.ts';
import { aggregateStream, type HistoryStream, rawHistory } from '../../series/history-stream.ts';
import { mayHoldNumbers } from '../../series/primitive-types.ts';
import type { Series } from '../../series/types.ts';
import type { CountedSelection, CountedSeries } from './chosen-parts.ts';

/** Lists the streams of history that a selection reads: the raw values, its aggregates, or both. */
export function streamsOf({ enabled, raw, aggregate }: Selection['history']): HistoryStream[] {
  if (!enabled) return [];
  const aggregates = (aggregate?.functions ?? []).map((fn) =>
    aggregateStream({ periodSec: aggregate?.periodSec ?? 1, fn }),
  );
  return raw ? [rawHistory, ...aggregates] : aggregates;
}

/**
 * Returns the series that a stream has. Means, sums and extremes exist for numbers only, so other properties
 * have no such series. A platform may well refuse to be asked for them.
 */
export function seriesOf<Item extends Pick<Series, 'primitiveType'>>(
  stream: HistoryStream,
  series: readonly Item[],
): Item[] {
  return needsNumbers(stream)
    ? series.filter(({ primitiveType }) => mayHoldNumbers(primitiveType))
    : [...series];
}

/** Returns the series that a stream has, in sum. */
export function countSeriesOf(stream: HistoryStream, { all, numeric }: CountedSelection): CountedSeries {
  return needsNumbers(stream) ? numeric : all;
}

function needsNumbers({ aggregate }: HistoryStream): boolean {
  return aggregate !== undefined && aggregate.fn !== 'first' && aggregate.fn !== 'last';
}

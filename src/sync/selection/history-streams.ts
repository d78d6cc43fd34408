import type { Selection } from '../../config/config-schema.ts';
import { aggregateStream, type HistoryStream, rawHistory } from '../../series/history-stream.ts';
import { isNumeric } from '../../series/primitive-types.ts';
import type { Series } from '../../series/types.ts';

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
  { aggregate }: HistoryStream,
  series: readonly Item[],
): Item[] {
  if (aggregate === undefined || aggregate.fn === 'first' || aggregate.fn === 'last') return [...series];
  return series.filter(({ primitiveType }) => primitiveType === null || isNumeric(primitiveType));
}

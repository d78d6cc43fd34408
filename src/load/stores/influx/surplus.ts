import { rangesAround } from '../../../series/compare-points.ts';
import type { SeriesPoints } from '../../../series/types.ts';
import type { PointBatch, Removal } from '../store.ts';
import { isNumber } from './line-protocol.ts';
import { type Field, type InfluxPlace, readInflux } from './read.ts';

type Batch = Pick<PointBatch, 'series' | 'range'>;

/**
 * Finds points of a batch that are stored with a field that they should not have: InfluxDB keeps each field of a point until the
 * point is deleted. What is asked for first are the fields alone that no point of a series should have, mostly texts of numbers: there are none,
 * and the answer is empty. Only series that have any are read whole.
 */
export async function findSurplus(place: InfluxPlace, { series, range }: Batch): Promise<Removal[]> {
  const suspects = new Set<SeriesPoints>();
  for (const [fields, points] of groupByUnwanted(series))
    for await (const [own, stored] of readStored(place, { series: points, range }, fields))
      if (noteStored(own, stored).surplus.length > 0) suspects.add(own);
  if (suspects.size === 0) return [];
  const found = new Map<SeriesPoints, Found>();
  for await (const [own, stored] of readStored(place, { series: [...suspects], range }))
    found.set(own, noteStored(own, stored, found.get(own)));
  return [...found]
    .filter(([, { surplus }]) => surplus.length > 0)
    .map(([{ series }, { surplus, others }]) => ({ series, ranges: rangesAround(surplus, others) }));
}

interface Found {
  readonly surplus: number[];
  /** Times of points that are not in the batch: they stay. */
  readonly others: number[];
}

/** Series by the fields that some of their points should not have. */
function groupByUnwanted(series: readonly SeriesPoints[]): Map<readonly Field[], SeriesPoints[]> {
  const [texts, values, both]: (readonly Field[])[] = [['text'], ['value'], ['value', 'text']];
  const groups = new Map<readonly Field[], SeriesPoints[]>();
  for (const points of series) {
    const withoutValue = points.values.some((value) => !isNumber(value));
    const withoutText = points.texts.some((text) => text === null);
    const fields =
      withoutValue && withoutText ? both : withoutValue ? values : withoutText ? texts : undefined;
    if (fields !== undefined) groups.set(fields, [...(groups.get(fields) ?? []), points]);
  }
  return groups;
}

async function* readStored(
  place: InfluxPlace,
  { series, range }: Batch,
  fields?: readonly Field[],
): AsyncGenerator<[own: SeriesPoints, stored: SeriesPoints]> {
  const byId = new Map(series.map((points) => [points.series.id, points]));
  const stretch = { series: series.map((points) => points.series), range };
  for await (const stored of readInflux(place, stretch, fields)) {
    const own = byId.get(stored.series.id);
    if (own !== undefined) yield [own, stored];
  }
}

/** Notes the stored points of a series. Both ascend in time. */
function noteStored(
  own: SeriesPoints,
  stored: SeriesPoints,
  noted: Found = { surplus: [], others: [] },
): Found {
  let i = 0;
  for (const [k, time] of stored.times.entries()) {
    while (i < own.times.length && (own.times[i] as number) < time) i += 1;
    if (own.times[i] !== time) noted.others.push(time);
    else if (
      (stored.values[k] !== null && !isNumber(own.values[i] ?? null)) ||
      (stored.texts[k] !== null && (own.texts[i] ?? null) === null)
    )
      noted.surplus.push(time);
  }
  return noted;
}

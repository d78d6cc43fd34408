import { rangesAround } from '../../../series/compare-points.ts';
import type { SeriesPoints } from '../../../series/types.ts';
import type { PointBatch, Removal } from '../store.ts';
import { isNumber } from './line-protocol.ts';
import { type Field, type InfluxPlace, readInflux } from './read.ts';

type Batch = Pick<PointBatch, 'series' | 'range'>;

/**
 * Finds the stored points that have a field which the same point of the batch does not have. InfluxDB keeps
 * each field of a point until the point is deleted.
 *
 * The first query reads only fields that no point of a series should have, mostly texts of numbers. Its
 * answer is mostly empty. Only series with such a field are then read whole.
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
  /** The times of stored points that are not in the batch: they stay. */
  readonly others: number[];
}

/** Groups the series by the fields that some of their points should not have. */
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

/** Notes the stored points of a series. Both lists of points ascend in time. */
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

import type { Series } from '../../series/types.ts';
import { matchSeries } from './select-series.ts';

/** Narrows the selections further, as the command line does. */
export interface SeriesFilter {
  readonly objects?: string | undefined;
  readonly properties?: string | undefined;
}

/** Tells whether a filter narrows the selections at all. */
export function isNarrowed({ objects, properties }: SeriesFilter): boolean {
  return objects !== undefined || properties !== undefined;
}

/** Returns those of some series that a filter lets through. */
export function narrow(series: readonly Series[], filter: SeriesFilter): readonly Series[] {
  if (!isNarrowed(filter)) return series;
  return series.filter(matchSeries({ objects: filter.objects ?? '*', properties: filter.properties ?? '*' }));
}

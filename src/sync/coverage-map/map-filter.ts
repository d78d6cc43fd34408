import type { SeriesFilter } from '../selection/series-filter.ts';

/** What one row of a map shows: an object, a template, a selection, one series (`none`), or everything. */
export const groupings = ['object', 'template', 'selection', 'none', 'all'] as const;
export type Grouping = (typeof groupings)[number];

/** Narrows the series of a map. */
export interface MapFilter extends SeriesFilter {
  /** Alias of a template. The empty text means objects whose template is not known. */
  readonly template?: string | undefined;
  /** A selection as `objects/properties`. */
  readonly selection?: string | undefined;
}

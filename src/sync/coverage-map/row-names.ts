import { patternOf } from '../selection/select-series.ts';
import type { Grouping, MapFilter } from './map-filter.ts';
import type { RowIndex } from './row-index.ts';

/** What a row is called, and how to ask for its series only. */
export interface RowName {
  readonly name: string;
  /** What people call the object of the row, if it is one object. */
  readonly title: string | undefined;
  /** The filter that selects the series of the row, together with the filter of the map. */
  readonly filter: MapFilter;
}

export function nameRow({ names, first, objects }: RowIndex, groupBy: Grouping, row: number): RowName {
  const name = names[row] ?? '';
  const { object = '', property = '' } = first[row] ?? {};
  const title = objects.get(object)?.showName ?? undefined;
  switch (groupBy) {
    case 'object':
      return { name, title, filter: { objects: patternOf(object) } };
    case 'none':
      return { name, title, filter: { objects: patternOf(object), properties: patternOf(property) } };
    case 'template':
      return { name, title: undefined, filter: { template: name } };
    case 'selection':
      return { name, title: undefined, filter: { selection: name } };
    case 'all':
      return { name, title: undefined, filter: {} };
  }
}

import { numbersText } from '../../postgres/type-parsers.ts';
import type { RangeSet } from '../../series/range.ts';
import type { Range } from '../../series/types.ts';

/** A range of one series. */
export interface Place extends Range {
  readonly seriesId: number;
}

/** Returns the ranges of a set, each with its series. */
export function placesOf(seriesId: number, set: RangeSet): Place[] {
  return set.map((range) => ({ seriesId, ...range }));
}

/**
 * Writes places as a table expression `place (id, "from", "to")`, in their order. COPY takes no parameters,
 * so the numbers stand in the statement.
 */
export function placesSql(places: readonly Place[]): string {
  const time = (name: string) => `timestamptz 'epoch' + ${name} * interval '1 microsecond'`;
  return `(select id, ${time('a')} as "from", ${time('b')} as "to"
    from unnest('${numbersText(places.map(({ seriesId }) => seriesId))}'::bigint[],
      '${numbersText(places.map(({ from }) => from))}'::bigint[],
      '${numbersText(places.map(({ to }) => to))}'::bigint[]) as u (id, a, b)) as place`;
}

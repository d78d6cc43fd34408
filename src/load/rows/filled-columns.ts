import { escapeLiteral } from 'pg';
import { quoteName } from '../../postgres/names.ts';
import type { RowTarget } from './row-targets.ts';

/** Names the columns of a row that its list leaves empty and its details fill, as a list of JSON; null where there are none. */
export const FILLED = 'detail_filled';

/** How rows of a list, or of details, meet the columns that both tell. The row that is there is `_t`, that which comes has the alias given. */
export interface FilledColumns {
  /** SQL of what stands in a column afterwards. */
  readonly value: (name: string, incoming: string) => string;
  /** SQL of the names that are filled afterwards. */
  readonly names: (incoming: string) => string;
}

/**
 * A list that tells a value wins; where it tells none, what details have filled stays. Details fill what is empty, and replace what
 * they have filled before.
 */
export function filledColumnsOf({ kind, filled }: Pick<RowTarget, 'kind' | 'filled'>): FilledColumns {
  const isFilled = (name: string) => `_t.${FILLED} ? ${escapeLiteral(name)}`;
  const told = (name: string, incoming: string) => `${incoming}.${quoteName(name)} is not null`;
  const listed = (condition: (name: string) => string) => {
    const each = filled.map((name) => `case when ${condition(name)} then ${escapeLiteral(name)} end`);
    return `array[${each.join(', ')}]::text[]`;
  };
  if (kind === 'list')
    return {
      value: (name, incoming) =>
        `coalesce(${incoming}.${quoteName(name)}, case when ${isFilled(name)} then _t.${quoteName(name)} end)`,
      names: (incoming) => `nullif(_t.${FILLED} - ${listed((name) => told(name, incoming))}, '[]')`,
    };
  const isFree = (name: string) => `(_t.${quoteName(name)} is null or ${isFilled(name)})`;
  return {
    value: (name, incoming) =>
      `case when ${isFree(name)} then ${incoming}.${quoteName(name)} else _t.${quoteName(name)} end`,
    names: (incoming) => {
      const now = listed((name) => `${isFree(name)} and ${told(name, incoming)}`);
      return `nullif(to_jsonb(array_remove(${now}, null)), '[]')`;
    },
  };
}

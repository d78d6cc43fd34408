import { escapeLiteral } from 'pg';
import { quoteName } from '../../postgres/names.ts';
import type { RowTarget } from './row-targets.ts';

/**
 * The column that lists, in JSON, the columns that a row's list leaves empty and its details fill. It is null
 * where there are no such columns.
 */
export const FILLED = 'detail_filled';

/**
 * The SQL that merges an incoming row with the stored row, in the columns that both a list and its details
 * tell. The stored row has the alias `_t`, the incoming row the alias `incoming`.
 */
export interface FilledColumns {
  /** SQL of the value that the column has after the merge. */
  readonly value: (name: string, incoming: string) => string;
  /** SQL of the names of the columns that details fill after the merge. */
  readonly names: (incoming: string) => string;
}

/**
 * Builds the SQL for columns that both a list and its details tell. A value of the list wins. Where the list
 * has no value, that of the details stays. Details fill empty columns, and replace values that details filled
 * before.
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

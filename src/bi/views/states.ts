import { type BiColumn, type BiView, selectTags, tagColumns } from '../bi-view.ts';
import { endColumns, isBooleanSql, selectEnd, stateSql, stretchesSql } from '../history-sql.ts';

const state: BiColumn = {
  name: 'state',
  type: 'text',
  about: 'The state: the text of the value; true or false of a boolean.',
};
const value: BiColumn = {
  name: 'value',
  type: 'double precision',
  about: 'The state as a number, at from_at; null if it is none.',
};

const stateIntervals: BiView = {
  name: 'state_intervals',
  about:
    'States of the series: one row from when a value came until another came. Ranges that are not stored, and points without a value, end a state. Filter by object, property and from_at; over a long range, states() is faster.',
  columns: [
    ...tagColumns,
    state,
    value,
    { name: 'from_at', type: 'timestamptz', about: 'Time of the first point that tells the state.' },
    ...endColumns('the state'),
  ],
  sql: (names) => {
    const mark = (alias: string) => stateSql(alias, isBooleanSql('t'));
    return `
    select ${selectTags('t')}, ${mark('p')} as state, p.value, p.at as from_at, ${selectEnd}
    ${stretchesSql(names, { mark, begins: `${mark('p')} is not null` })}`;
  },
};

export const stateViews: readonly BiView[] = [stateIntervals];

import { escapeLiteral } from 'pg';
import { quoteName } from '../postgres/names.ts';
import type { BiNames, BiView } from './bi-view.ts';

/** Returns the statements that make a view or function, or replace it, with all comments. */
export function renderView(view: BiView, names: BiNames): string {
  return `${view.takes === undefined ? createView(view, names) : createFunction(view, view.takes, names)};`;
}

/** Returns the name of a view or function as it stands in `drop` and `grant`, without its arguments. */
export function quoteView({ name }: Pick<BiView, 'name'>, { bi }: Pick<BiNames, 'bi'>): string {
  return `${bi}.${quoteName(name)}`;
}

function createView(view: BiView, names: BiNames): string {
  const name = quoteView(view, names);
  return [
    `create or replace view ${name} as ${view.sql(names)}`,
    `comment on view ${name} is ${escapeLiteral(view.about)}`,
    ...view.columns.map(
      (column) => `comment on column ${name}.${quoteName(column.name)} is ${escapeLiteral(column.about)}`,
    ),
  ].join(';\n');
}

/** The columns of a result can have no comments of their own, so that of the function describes them. */
function createFunction(view: BiView, takes: string, names: BiNames): string {
  const name = `${quoteView(view, names)}(${takes})`;
  const columns = view.columns.map((column) => `${quoteName(column.name)} ${column.type}`).join(', ');
  const about = [view.about, ...view.columns.map((column) => `${column.name}: ${column.about}`)].join('\n');
  return [
    `create or replace function ${name} returns table (${columns})
     language sql stable parallel safe as $bi$${view.sql(names)}$bi$`,
    `comment on function ${name} is ${escapeLiteral(about)}`,
  ].join(';\n');
}

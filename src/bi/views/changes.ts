import { escapeLiteral } from 'pg';
import { quoteName } from '../../postgres/names.ts';
import { baseOf, type Column, type Table } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import type { BiView } from '../bi-view.ts';

/** The tables of the directory, by name, with all declared columns. */
function listTables(): Table[] {
  const tables = new Map<string, Table>();
  for (const stream of streams) {
    const base = baseOf(stream);
    const known = tables.get(base.name)?.columns ?? [];
    const tree = base.tree === undefined ? [] : [base.tree.path, base.tree.depth];
    const columns = [...known, ...stream.columns, ...(stream.computed ?? []), ...tree];
    tables.set(base.name, { ...base, columns: uniqueOf(columns) });
    for (const part of stream.parts ?? []) tables.set(part.name, part);
  }
  return [...tables.values()];
}

function uniqueOf(columns: readonly Column[]): Column[] {
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

/** Returns the SQL of an instant as it stands in `changes.before`, whatever time zone the session has. */
function instantJson(column: string): string {
  return `to_jsonb((to_jsonb(${column} at time zone 'UTC') #>> '{}') || '+00:00')`;
}

/** Returns the SQL of the row, as it is now, of the table and key of the change `c`. */
function presentRow(data: string, { name, key, columns }: Table): string {
  const instants = columns.filter(({ type }) => type === 'timestamptz').map((column) => column.name);
  const members = ['deleted_at', ...instants].map(
    (column) => `${escapeLiteral(column)}, ${instantJson(`t.${quoteName(column)}`)}`,
  );
  const isSame = key.map((column) => {
    const type = columns.find((each) => each.name === column)?.type ?? 'text';
    return `t.${quoteName(column)} = (c.key ->> ${escapeLiteral(column)})::${type}`;
  });
  return `(select to_jsonb(t) || jsonb_build_object(${members.join(', ')})
          from ${data}.${quoteName(name)} as t where ${isSame.join(' and ')})`;
}

/** Returns the SQL of the object that a node of a network is: the last name of its path. */
const nodeObject = `replace(replace(substring(c.key ->> 'path' from '[^/]*$'), '~1', '/'), '~0', '~')`;

/** Returns the SQL of the object that the row of the change `c` belongs to. */
function objectOfChange(tables: readonly Table[]): string {
  const named = (names: readonly string[]) => names.map(escapeLiteral).join(', ');
  const nodes = tables.filter(({ key }) => key.includes('network') && key.includes('path'));
  return `case when c.table_name = 'objects' then c.key ->> 'name'
      when c.table_name in (${named(nodes.map(({ name }) => name))}) then ${nodeObject}
      else c.key ->> 'object' end`;
}

const changeLog: BiView = {
  name: 'change_log',
  about:
    'Changes of the directory: one row for each column that a change gave another value, for as long as limits.keepChanges says. What was first learnt later is no change. A deletion and a return change deleted_at.',
  columns: [
    { name: 'table_name', type: 'text', about: 'Table of the row.' },
    { name: 'key', type: 'jsonb', about: 'Key columns of the row and their values.' },
    {
      name: 'object',
      type: 'text',
      about: 'Alias of the object that the row belongs to; null if it belongs to none.',
    },
    { name: 'at', type: 'timestamptz', about: 'When the change was found and stored.' },
    { name: 'kind', type: 'text', about: 'updated, deleted or restored.' },
    { name: 'column_name', type: 'text', about: 'Column that got another value.' },
    { name: 'old', type: 'jsonb', about: 'Value before the change; null if there was none.' },
    { name: 'new', type: 'jsonb', about: 'Value after the change; null if there is none.' },
  ],
  sql: ({ data, ledger }) => {
    const tables = listTables();
    const present = tables
      .map((table) => `when ${escapeLiteral(table.name)} then ${presentRow(data, table)}`)
      .join('\n        ');
    // What a change made of the row stands in the next change of the same row, else in the row itself.
    return `
    select c.table_name, c.key, ${objectOfChange(tables)} as object, c.at, c.kind, b.key as column_name,
      nullif(b.value, 'null') as old, nullif(a.row -> b.key, 'null') as new
    from ${ledger}.changes as c
    cross join lateral (
      select coalesce((
        select n.before from ${ledger}.changes as n
        where n.table_name = c.table_name and md5(n.key::text) = md5(c.key::text) and n.id > c.id
        order by n.id limit 1),
        case c.table_name
        ${present}
        end) as row offset 0) as a
    cross join lateral jsonb_each(c.before) as b
    where b.key not in ('changed_at', 'first_seen_at') and a.row is not null
      and coalesce(a.row -> b.key, 'null') is distinct from b.value`;
  },
};

export const changeViews: readonly BiView[] = [changeLog];

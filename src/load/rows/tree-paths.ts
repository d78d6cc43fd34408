import { escapeLiteral } from 'pg';
import type { Database } from '../../postgres/connect.ts';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import { planByKey } from '../../postgres/plan-by-key.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { Stream, Tree } from '../../streams/define.ts';
import { beforeSql, listOf, liveSql, matchSql, noteSql } from './row-sql.ts';

/**
 * Computes path and depth of the live rows of a tree, from each root down, and writes those that differ, as
 * changes. A row that no path reaches gets null: its parent is missing or deleted, or the row is its own
 * ancestor. Resolves to the number of written rows.
 */
export async function computePaths(db: Database, schemas: Schemas, stream: Stream): Promise<number> {
  const { tree, key, name } = stream;
  if (tree === undefined) throw new TypeError(`the rows of ${name} are no tree`);
  if ([...key].sort().join() !== [tree.root, tree.name].sort().join())
    throw new TypeError(
      `the tree ${name} needs the key (${tree.root}, ${tree.name}): only then does each row have one path`,
    );
  const sql = pathsSql(schemas, stream, tree);
  return inTransaction(
    db,
    async (tx) => {
      await planByKey(tx);
      const { rows } = await tx.query<{ written: number }>(sql);
      return rows[0]?.written ?? 0;
    },
    { what: `computing the paths of ${name}` },
  );
}

function pathsSql(schemas: Schemas, stream: Stream, tree: Tree): string {
  const table = quoteTable(schemas.data, stream.name);
  const [root, name, parent] = [tree.root, tree.name, tree.parent].map(quoteName);
  const [path, depth] = [tree.path.name, tree.depth.name].map(quoteName);
  const key = listOf(stream.key);
  // Each row has at most one path: its parent has one name, and the key allows one row of that name. So no
  // path is a circle.
  return `
    with recursive _live as materialized (
      select ${listOf(stream.key)}, ${path} as _path, ${depth} as _depth, ${parent} as _parent,
        coalesce(${parent} in ('', ${root}), true) as _top
      from ${table} where deleted_at is null),
    _way (_root, _name, _path, _depth) as (
      select ${root}, ${name}, ${escapeSql(`${root}`)} || '/' || ${escapeSql(`${name}`)}, 1 from _live where _top
      union all
      select _l.${root}, _l.${name}, _w._path || '/' || ${escapeSql(`_l.${name}`)}, _w._depth + 1
      from _way as _w join _live as _l on _l.${root} = _w._root and _l._parent = _w._name where not _l._top),
    _wanted as materialized (
      select ${listOf(stream.key, '_l.')}, _w._path, _w._depth from _live as _l
      left join _way as _w on _w._root = _l.${root} and _w._name = _l.${name}
      where row(_l._path, _l._depth) is distinct from row(_w._path, _w._depth) order by ${listOf(stream.key, '_l.')}),
    _old as materialized (
      select _w.*, _k._before from _wanted as _w cross join lateral (
        select ${beforeSql('_t')} as _before from ${table} as _t
        where ${matchSql(stream.key, '_t', '_w')} and ${liveSql('_t')} limit 1 for no key update) as _k),
    _written as (
      insert into ${table} (${key}, ${path}, ${depth}) select ${key}, _path, _depth from _old
      on conflict (${key}) do update
        set ${path} = excluded.${path}, ${depth} = excluded.${depth}, changed_at = now()
      returning 1),
    _noted as (${noteSql(
      schemas,
      { table: stream.name, key: stream.key },
      {
        // A path that is computed for the first time is not noted as a change.
        source: `_old where _before ->> ${escapeLiteral(tree.path.name)} is not null`,
        kind: "'updated'",
      },
    )})
    select count(*)::int as written from _written`;
}

/** Builds the SQL of a name as it stands in a path: with `~` and `/` escaped. */
function escapeSql(name: string): string {
  return `replace(replace(${name}, '~', '~0'), '/', '~1')`;
}

import type { Database } from '../../../postgres/connect.ts';
import { quoteName, quoteTable } from '../../../postgres/names.ts';
import { asStoreError } from '../../../postgres/postgres-errors.ts';
import type { Queryable } from '../../../postgres/queryable.ts';

/**
 * The index by time alone, for questions about all series. It keeps the least and the greatest time of each
 * range of pages, so it takes almost no room. A new range gets its entry as soon as it is full.
 */
const INDEX = 'using brin (at) with (autosummarize = on)';

/** Tells in SQL whether a table has such an index that fulfils a condition. */
const hasIndexSql = (table: string, condition: string) => `exists (
  select from pg_index where indrelid = ${table} and ${condition} and exists (
    select from pg_class as x join pg_am as m on m.oid = x.relam where x.oid = indexrelid and m.amname = 'brin'))`;

/**
 * Finds those of some tables of points whose index of times is missing, if the user owns them or they are
 * still to be made. Returns the statements that make it. Months that come later get it too. Months that are
 * there already keep what they have: reading them would hold the lock of the table for long.
 */
export async function findTimeIndexes(db: Queryable, tables: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(
    `select name from unnest($1::text[]) as wanted (name) left join pg_class as c on c.oid = to_regclass(name)
     where c.oid is null or not ${hasIndexSql('c.oid', 'true')} and pg_has_role(c.relowner, 'usage')`,
    [tables],
  );
  return rows.map(({ name }) => `create index on only ${name} ${INDEX}`);
}

/**
 * Returns the query for the months that lack the index. The index of a month is not attached to that of the
 * table, which would lock out all readers for a moment. The planner looks at each month by itself.
 */
const bareMonthsSql = () => `
  select c.relname as month from pg_namespace as n
  join pg_class as p on p.relnamespace = n.oid and p.relkind = 'p' and p.relname ~ '^samples(_|$)'
  join pg_inherits as h on h.inhparent = p.oid join pg_class as c on c.oid = h.inhrelid
  where n.nspname = $1 and pg_has_role(c.relowner, 'usage') and not ${hasIndexSql('c.oid', 'indisvalid')}
  order by month`;

/**
 * Makes the index of times on each month that lacks it, while others read and write the month. One process
 * at a time does so; a second one finds nothing to do. Resolves to the number of months. All is done on one
 * connection, because a pooler may have no second one.
 */
export async function indexMonths(db: Database, schema: string): Promise<number> {
  const client = await db.connect();
  try {
    const lock = `plantsync:indexes ${db.installation}`;
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as mine', [
      lock,
    ]);
    if (rows[0]?.mine !== true) return 0;
    const { rows: months } = await client.query<{ month: string }>(bareMonthsSql(), [schema]);
    for (const { month } of months) await indexMonth(client, schema, month);
    return months.length;
  } catch (error) {
    throw asStoreError(error, 'making the indexes of times');
  } finally {
    // The lock ends with the session.
    client.release(true);
  }
}

async function indexMonth(client: Queryable, schema: string, month: string): Promise<void> {
  const index = `${month}_at_brin`;
  // An attempt that was cut short has left an index that nobody can use.
  await client.query(`drop index concurrently if exists ${quoteTable(schema, index)}`);
  await client.query(
    `create index concurrently ${quoteName(index)} on ${quoteTable(schema, month)} ${INDEX}`,
  );
}

import type { PoolClient } from 'pg';

/**
 * Lets Postgres look up rows by their keys until the transaction ends. With old or missing statistics the
 * planner would read a whole table for each lookup. Queries are not compiled either, since compiling takes
 * longer than a short query does.
 */
export async function planByKey(tx: PoolClient): Promise<void> {
  await tx.query('set local jit = off; set local enable_seqscan = off');
}

/**
 * Lets Postgres keep in memory what a statement excludes by `not in`, until the transaction ends. Beyond the
 * memory that it may take, it would compare each row with each.
 */
export async function planInMemory(tx: PoolClient): Promise<void> {
  await tx.query("set local work_mem = '256MB'");
}

/** Lets Postgres read rows in their physical order again, for a statement that needs all rows of a table. */
export async function planByCost(tx: PoolClient): Promise<void> {
  await tx.query('set local enable_seqscan = on');
}

/**
 * Lets Postgres read rows in the order of an index until the transaction ends. So a page of rows costs the
 * same wherever it begins. The planner might collect and sort all later rows for each page.
 */
export async function planInOrder(tx: PoolClient): Promise<void> {
  await planByKey(tx);
  await tx.query(
    'set local enable_sort = off; set local enable_bitmapscan = off; set local max_parallel_workers_per_gather = 0',
  );
}

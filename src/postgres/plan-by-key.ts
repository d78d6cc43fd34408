import type { PoolClient } from 'pg';

/**
 * Until the transaction ends, rows are looked up by their keys whatever the planner thinks: statistics that are old or missing
 * would make it read a whole table for each lookup. Loops that are short are not compiled, which would take longer than they do.
 */
export async function planByKey(tx: PoolClient): Promise<void> {
  await tx.query('set local jit = off; set local enable_seqscan = off');
}

/** For a statement that needs all rows of a table: it may read them in their physical order again. */
export async function planByCost(tx: PoolClient): Promise<void> {
  await tx.query('set local enable_seqscan = on');
}

import type { Database } from '../../../postgres/connect.ts';
import { changeSchema, ensureSchema } from '../../../postgres/schema-change.ts';
import { ensureCurrentValues, ensureSamples } from './point-tables.ts';

/**
 * Makes the tables of polls, of history and of its aggregates (streams such as `history/300s/mean`) if they
 * are missing. Returns the names of the tables of points.
 */
export async function ensurePointTables(
  db: Database,
  schema: string,
  streams: readonly string[] = [],
): Promise<string[]> {
  const tables = new Set(['samples', 'samples_polled', ...streams.map(samplesTable)]);
  await changeSchema(db, 'making the tables of points', async (tx) => {
    await ensureSchema(tx, schema);
    for (const table of tables) await ensureSamples(tx, schema, table);
    await ensureCurrentValues(tx, schema);
  });
  return [...tables];
}

/**
 * Returns the table of a stream: `samples` for `history`, `samples_300s_mean` for its aggregate
 * `history/300s/mean`.
 */
export function samplesTable(stream: string): string {
  return ['samples', ...stream.split('/').slice(1)].join('_');
}

/**
 * `npm run bench -- --scaling [table…] [--most 100000]` prints how the cost of a row, a series or a point
 * grows with the plant. Without names it prints all tables. `--most` leaves out larger plants.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../support/servers/postgres.ts';
import { scaleHistory, scaleReplies, scaleWorkers } from './grown-histories.ts';
import { scaleFragments, scaleRows, scaleSeries } from './grown-plants.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scaling: { type: 'boolean' }, most: { type: 'string', default: '1000000' } },
});
const plants = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= Number(values.most));
const tables = {
  rows: [scaleRows, plants],
  series: [scaleSeries, plants],
  fragments: [scaleFragments, [1, 10, 100, 1_000]],
  history: [scaleHistory, [1, 10, 100]],
  replies: [scaleReplies, [100, 1_000, 10_000, 50_000]],
  workers: [scaleWorkers, [1, 2, 4, 8]],
} as const;

function isTable(name: string): name is keyof typeof tables {
  return name in tables;
}

const unknown = positionals.find((name) => !isTable(name));
if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${Object.keys(tables).join(', ')}`);
const chosen =
  positionals.length > 0 ? positionals.filter(isTable) : (Object.keys(tables) as (keyof typeof tables)[]);
const server = await startPostgres();
try {
  for (const name of chosen) {
    const [scale, sizes] = tables[name];
    await scale(server, sizes);
  }
} finally {
  await server.close();
}

import { text } from 'node:stream/consumers';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { createPostgresStore } from '../../../src/load/stores/postgres/create-store.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres, type PostgresOptions } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';

/**
 * A program that a test kills. It writes batches of 500 points with their coverage until it dies, and prints
 * a dot before each commit. The first series comes as the argument, the options of the connection on stdin.
 */
const options = JSON.parse(await text(process.stdin)) as PostgresOptions;
const db = openPostgres(options, silentLog);
const { coverage } = createLedger(db, defaultSchemas);
const store = createPostgresStore({ db, schema: defaultSchemas.data });
const range = { from: 0, to: 500 };
const times = Array.from({ length: 500 }, (_, i) => i);

for (let id = Number(process.argv[2]); ; id += 1) {
  const points = {
    series: { id, object: 'o', property: 'p', primitiveType: null },
    times,
    values: times,
    texts: times.map(() => null),
    qualities: times.map(() => null),
  };
  await store.write({ stream: 'history', range, series: [points], fresh: id % 2 === 0 }, async (tx) => {
    await coverage.add({ store: store.id, stream: 'history', seriesIds: [id], range }, tx);
    process.stdout.write('.');
  });
}

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { migrate } from '../../../src/ledger/run-migrations.ts';
import { createPostgresStore } from '../../../src/load/stores/postgres/create-store.ts';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { startPostgres, type TestPostgres } from '../../support/servers/servers.ts';
import { pointsOf } from '../test-data.ts';

let server: TestPostgres;
let db: Database;
let ledger: Ledger;
beforeAll(async () => {
  server = await startPostgres();
  db = openPostgres(server.options, silentLog);
  await migrate(db, defaultSchemas);
  ledger = createLedger(db, defaultSchemas);
  await createPostgresStore({ db, schema: 'plant' }).prepare();
});
afterAll(async () => {
  await db.close();
  await server.close();
});

/**
 * Expects that every batch with points has its coverage, and the other way round. Resolves to the number of
 * batches.
 */
async function countWholeBatches(): Promise<number> {
  const { rows } = await db.query(
    `select coalesce(c.series_id, s.series_id) as id, c.series_id is not null as covered, s.points
     from plantsync.coverage as c
     full join (select series_id, count(*) as points from plant.samples group by series_id) as s using (series_id)`,
  );
  for (const row of rows) expect(row).toMatchObject({ covered: true, points: 500 });
  return rows.length;
}

test('a writer that is killed at any moment leaves points and coverage, or neither', async () => {
  let batches = 0;
  for (let round = 0; round < 5; round += 1) {
    const script = fileURLToPath(new URL('./write-for-ever.ts', import.meta.url));
    const writer = spawn(process.execPath, ['--import', 'tsx', script, String(round * 1_000_000)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    writer.stdin.end(JSON.stringify(server.options));
    const ended = new Promise((resolve) => writer.once('exit', resolve));
    // The program reports each batch before the commit: the kill comes around that moment.
    let reports = 0;
    for await (const chunk of writer.stdout) {
      reports += String(chunk).length;
      if (reports > 3 + round && !writer.killed) writer.kill('SIGKILL');
    }
    await ended;
    batches = await countWholeBatches();
  }
  expect(batches).toBeGreaterThan(5);
});

/** Waits until no other session works: a session whose client was killed may still commit. */
async function untilAlone(): Promise<void> {
  const others = `select count(*)::int as n from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await db.query<{ n: number }>(others)).rows[0]?.n).toBe(0);
}

test('a server that is killed between points and commit has neither after its recovery', async () => {
  await untilAlone();
  const before = await countWholeBatches();
  const store = createPostgresStore({ db, schema: 'plant' });
  const entries = Array.from({ length: 500 }, (_, i) => [i, i] as const);
  const batch = {
    stream: 'history',
    range: { from: 0, to: 500 },
    series: [pointsOf(99_000_000, entries)],
    fresh: true,
  };
  const writing = store.write(batch, async (tx) => {
    await ledger.coverage.add(
      { store: store.id, stream: 'history', seriesIds: [99_000_000], range: batch.range },
      tx,
    );
    await server.kill();
  });
  await expect(writing).rejects.toMatchObject({ name: 'StoreError', action: 'retry' });
  await server.start();
  expect(await countWholeBatches()).toBe(before);
});

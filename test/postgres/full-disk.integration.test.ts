import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { openPulse, type Pulse } from '../../src/postgres/pulse.ts';
import { startPostgres, type TestPostgres } from '../support/servers/postgres.ts';

let postgres: TestPostgres;
let db: Database;
/** The look at the server has its own database, as in the console. */
let looked: Database;
let pulse: Pulse;
beforeAll(async () => {
  postgres = await startPostgres({ ownDisk: true });
  db = openPostgres({ ...postgres.options, maxConnections: 2 }, silentLog);
  looked = openPostgres({ ...postgres.options, room: db.room }, silentLog);
  pulse = openPulse(looked);
});
afterAll(async () => {
  await postgres.disk?.free();
  await pulse.close();
  await looked.close();
  await db.close();
  await postgres.close();
});

const feel = () => pulse.feel(new AbortController().signal);
/** Enough for the server to need more of its disk. */
const write = () => db.query(`insert into filler select repeat('x', 1000) from generate_series(1, 5000)`);

it('a full disk of the server is told with its remedy, also by the look at the server, until there is room', async () => {
  if (postgres.disk === undefined)
    throw new Error('this test mounts a disk, which needs root or sudo without a password, on Linux');
  await db.query('create table filler (text text)');
  await feel();
  await postgres.disk.fill();
  await expect(write()).rejects.toMatchObject({
    action: 'retry',
    message: expect.stringMatching(/53100.*make room/),
  });
  await expect(feel()).rejects.toThrow(/the disk of the server is full: make room/);
  await postgres.disk.free();
  await feel();
  await write();
  const { rows } = await db.query('select count(*)::int as count from filler');
  expect(rows).toEqual([{ count: 5_000 }]);
});

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LEASE_MS } from '../../../src/ledger/leases/lease-sql.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres } from '../../../src/postgres/connect.ts';
import { withFence } from '../../../src/postgres/fence.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { openTestLedger, type TestLedger } from '../test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
  await opened.db.query('create table notes (id int primary key, text text)');
});
afterEach(() => opened.db.query('truncate notes'));
afterAll(() => opened.close());

/** Opens a ledger as another process would. */
function openProcess(): Ledger & { readonly db: Database } {
  const db = opened.another();
  return { ...createLedger(db, defaultSchemas), db };
}

/** Ends a lease as if its process had stood still for too long. */
async function outlast(lease: { id: number }) {
  await opened.db.query('update plantsync.leases set until = clock_timestamp() where id = $1', [lease.id]);
}

async function held(process: Ledger, name: string) {
  const lock = await process.leases.tryLock(name);
  if (!lock.isHeld) throw new Error(`${name} is taken by ${lock.holder}`);
  return lock;
}

const notes = async () => (await opened.db.query('select text from notes order by id')).rows;

describe('a lock', () => {
  it('is of one process at a time, is free after it, and names who has it', async () => {
    const [one, two] = [openProcess(), openProcess()];
    const lock = await held(one, 'job persons');
    expect(await one.leases.tryLock('job persons')).toMatchObject({ isHeld: false });
    expect(await two.leases.tryLock('job persons')).toEqual({ isHeld: false, holder: one.db.sessionName });
    expect(one.db.sessionName).toMatch(/^plantsync \d+@\S+ [0-9a-f]{6}$/);
    expect((await two.leases.tryLock('job objects')).isHeld).toBe(true);
    await lock.release();
    expect((await two.leases.tryLock('job persons')).isHeld).toBe(true);
  });

  it('of another installation in the same database has nothing to do with it', async () => {
    const schemas = { ledger: 'elsewhere', data: 'elsewhere_plant', bi: 'elsewhere_bi' };
    const { migrate } = await import('../../../src/ledger/run-migrations.ts');
    const db = opened.another();
    await migrate(db, schemas);
    await held(openProcess(), 'job everywhere');
    const other = await createLedger(db, schemas).leases.tryLock('job everywhere');
    expect(other.isHeld).toBe(true);
  });

  it('is free at once when the session of its process is gone', async () => {
    const gone = openProcess();
    const { lease } = await held(gone, 'job gone');
    await opened.db.query('select pg_terminate_backend(session) from plantsync.leases where id = $1', [
      lease.id,
    ]);
    const next = openProcess();
    await expect.poll(async () => (await next.leases.tryLock('job gone')).isHeld).toBe(true);
  });

  it('that could not be given back while Postgres was away is had again by the same process', async () => {
    const process = openProcess();
    const lock = await held(process, 'job lent');
    await opened.db.query('alter table plantsync.locks rename to hidden');
    await lock.release();
    await opened.db.query('alter table plantsync.hidden rename to locks');
    expect((await process.leases.tryLock('job lent')).isHeld).toBe(true);
  });
});

describe('a process that stood still beyond its lease', () => {
  it('loses its lock to another and its open transactions to the server, and writes nothing more', async () => {
    const [sleeper, other] = [openProcess(), openProcess()];
    const lock = await held(sleeper, 'job sleeper');
    const tx = await sleeper.db.connect();
    await tx.query("begin; insert into notes values (1, 'open when it fell asleep')");
    await outlast(lock.lease);
    const taken = await held(other, 'job sleeper');
    // The row that the stopped process inserted would hold up everybody else.
    await opened.db.query("insert into notes values (1, 'of who took over')");
    await expect(tx.query('commit')).rejects.toThrow();
    tx.release(true);
    const late = (work: () => Promise<unknown>) => withFence(lock.lease, work);
    const insert = "insert into notes values (2, 'late')";
    // Its first attempts may meet sessions that the server has ended, before it notices.
    const refusal = (work: () => Promise<unknown>) =>
      expect.poll(() => work().then(String, String)).toMatch(/its lease has ended/);
    await refusal(() => late(() => sleeper.db.query(insert)));
    await refusal(() => late(() => inTransaction(sleeper.db, (client) => client.query(insert))));
    await refusal(() => lock.check());
    await taken.check();
    expect(await notes()).toEqual([{ text: 'of who took over' }]);
  });

  it('begins another lease for what it does next', async () => {
    const sleeper = openProcess();
    const first = await sleeper.leases.hold();
    await outlast(first);
    expect(await first.renew()).toBe(false);
    const second = await sleeper.leases.hold();
    expect(second.id).not.toBe(first.id);
    await sleeper.leases.work(() => sleeper.db.query("insert into notes values (3, 'awake')"));
    expect(await notes()).toEqual([{ text: 'awake' }]);
    await expect(withFence(first, () => sleeper.leases.hold())).rejects.toThrow(/its lease has ended/);
  });

  it('finds out by its own clock, without a word from Postgres', async () => {
    const { lease } = await held(openProcess(), 'job alone');
    const { now } = performance;
    onTestFinished(() => {
      performance.now = now;
    });
    performance.now = () => now.call(performance) + LEASE_MS + 1;
    await expect(lease.confirm()).rejects.toThrow(/its lease has ended/);
  });

  it('that goes on keeps its lease, and what it holds', async () => {
    const [awake, other] = [openProcess(), openProcess()];
    const lock = await held(awake, 'job awake');
    expect(await lock.lease.renew()).toBe(true);
    await other.leases.sweep();
    expect((await other.leases.tryLock('job awake')).isHeld).toBe(false);
    await withFence(lock.lease, () => awake.db.query("insert into notes values (4, 'in time')"));
    expect(await notes()).toEqual([{ text: 'in time' }]);
  });
});

it('a commit that has asked for its lease comes to its end before another may have it', async () => {
  const [slow, other] = [openProcess(), openProcess()];
  const { lease } = await held(slow, 'job slow');
  const tx = await opened.db.connect();
  await tx.query(`begin; ${lease.checkSql}`);
  await outlast(lease);
  expect((await other.leases.tryLock('job slow')).isHeld).toBe(false);
  await tx.query('commit');
  tx.release();
  await expect.poll(async () => (await other.leases.tryLock('job slow')).isHeld).toBe(true);
});

it('a process that ends gives back all it holds, and leaves no lease', async () => {
  const db = openPostgres(opened.options, silentLog);
  const { leases, claims } = createLedger(db, defaultSchemas);
  const lock = await leases.tryLock('job ending');
  await claims
    .begin()
    .take({ stream: 'history', seriesIds: [1], range: { from: 0, to: 1e6 }, stores: ['one'] });
  await db.close();
  expect((await openProcess().leases.tryLock('job ending')).isHeld).toBe(true);
  const id = lock.isHeld ? lock.lease.id : 0;
  for (const [table, column] of [
    ['leases', 'id'],
    ['claims', 'lease'],
  ])
    expect(
      (await opened.db.query(`select from plantsync.${table} where ${column} = $1`, [id])).rowCount,
    ).toBe(0);
});

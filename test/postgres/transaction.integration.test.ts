import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { sqlState } from '../../src/postgres/postgres-errors.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  db = openPostgres({ ...made.options, maxConnections: 3 }, silentLog);
  await db.query('create table accounts (id int primary key, amount int not null)');
});
beforeEach(async () => {
  await db.query('truncate accounts');
  await db.query('insert into accounts values (1, 0), (2, 0)');
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

const amounts = async (): Promise<unknown> =>
  (await db.query('select array_agg(amount order by id) as all from accounts')).rows[0]?.all;

const WAITING = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

test('work that resolves is committed, work that throws leaves nothing', async () => {
  const result = await inTransaction(db, async (tx) => {
    await tx.query('update accounts set amount = 5 where id = 1');
    return 'done';
  });
  expect(result).toBe('done');
  const failing = inTransaction(db, async (tx) => {
    await tx.query('update accounts set amount = 6 where id = 1');
    throw new RangeError('mine');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(await amounts()).toEqual([5, 0]);
});

test('a failed statement ends as a StoreError that says what was being done', async () => {
  const failing = inTransaction(db, (tx) => tx.query('insert into accounts values (1, 1)'), {
    what: 'loading accounts',
  });
  const error = await failing.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'StoreError', action: 'stop' });
  expect(String(error)).toMatch(/loading accounts: .*duplicate key/);
  expect(sqlState(error)).toBe('23505');
});

test('transactions that deadlock are done again until all succeed', async () => {
  let meeting = 0;
  let open: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const transfer = (from: number, to: number): Promise<void> =>
    inTransaction(db, async (tx) => {
      await tx.query('update accounts set amount = amount - 1 where id = $1', [from]);
      meeting += 1;
      if (meeting === 2) open();
      await both;
      await tx.query('update accounts set amount = amount + 1 where id = $1', [to]);
    });
  await Promise.all([transfer(1, 2), transfer(2, 1)]);
  // One of them gives way. On a busy machine the two may meet again.
  expect(meeting).toBeGreaterThanOrEqual(3);
  expect(await amounts()).toEqual([0, 0]);
});

test.each(['query', 'queryInSession'] as const)(
  'a statement that deadlocks is done again by %s, and the shared session lives on',
  async (run) => {
    const readSession = async () => (await db.queryInSession('select pg_backend_pid() as pid')).rows[0]?.pid;
    const session = await readSession();
    const other = await db.openSession();
    for (let gaveWay = false; !gaveWay; ) {
      await db.query('truncate accounts');
      await db.query('insert into accounts values (2, 0), (1, 0)');
      await other.query('begin; update accounts set amount = 10 where id = 1');
      // The statement locks the row 2, and waits for the row 1.
      const transfer = db[run]('update accounts set amount = amount + 1');
      await expect.poll(async () => (await db.query(WAITING)).rows[0]?.count).toBe(1);
      // Who waits first has to give way, except where more than a second lies between the two.
      gaveWay = await other.query('update accounts set amount = 20 where id = 2; commit').then(
        () => true,
        () => false,
      );
      if (!gaveWay) await other.query('rollback');
      await transfer;
    }
    await other.end();
    expect(await amounts()).toEqual([11, 21]);
    expect(await readSession()).toBe(session);
  },
);

test('transactions that cannot be put in a row are done again', async () => {
  const addTotal = (id: number): Promise<void> =>
    inTransaction(db, async (tx) => {
      await tx.query('set transaction isolation level serializable');
      const { rows } = await tx.query('select sum(amount)::int as total from accounts');
      await tx.query('update accounts set amount = $2 + 1 where id = $1', [id, rows[0]?.total]);
    });
  await Promise.all([addTotal(1), addTotal(2)]);
  expect([
    [1, 2],
    [2, 1],
  ]).toContainEqual(await amounts());
});

test('a COPY that breaks off leaves no row and no busy connection', async () => {
  const lines = Readable.from(
    (function* () {
      yield '10\t1\n';
      throw new Error('the source broke');
    })(),
  );
  const failing = inTransaction(db, async (tx) => {
    await pipeline(lines, tx.query(copyFrom('copy accounts from stdin')));
  });
  await expect(failing).rejects.toThrow('the source broke');
  const bad = inTransaction(db, async (tx) => {
    await pipeline(Readable.from(['x\ty\n']), tx.query(copyFrom('copy accounts from stdin')));
  });
  await expect(bad).rejects.toThrow(/invalid input syntax/);
  expect(await amounts()).toEqual([0, 0]);
  expect(await openTransactions()).toBe(0);
});

test('a COPY that nobody ends does not hang the transaction', async () => {
  const broken: string[] = [];
  const failing = inTransaction(db, async (tx) => {
    const copy: Writable = tx.query(copyFrom('copy accounts from stdin'));
    copy.on('error', (error) => broken.push(error.message));
    copy.write('10\t1\n');
    throw new RangeError('forgot it');
  });
  await expect(failing).rejects.toThrow(RangeError);
  await expect.poll(() => broken).toEqual(['Connection terminated']);
  expect(await amounts()).toEqual([0, 0]);
});

const openTransactions = async (): Promise<unknown> =>
  (
    await db.query(
      `select count(*) as n from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    )
  ).rows[0]?.n;

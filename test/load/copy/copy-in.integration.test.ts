import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { copyIn } from '../../../src/load/copy/copy-in.ts';
import { type CopyColumn, encodeRows } from '../../../src/load/copy/encode.ts';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres } from '../../../src/postgres/connect.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import type { Row } from '../../../src/streams/define.ts';
import { createDatabase, startPostgres, type TestDatabase } from '../../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  // The pool has one connection: a COPY that leaked it would block everything after.
  db = openPostgres({ ...made.options, maxConnections: 1 }, silentLog);
  await makeTable(db);
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

async function makeTable(into: Database): Promise<void> {
  await into.query('create table things (name text primary key, n integer)');
}

const columns: CopyColumn[] = [
  { name: 'things.name', type: 'text' },
  { name: 'things.n', type: 'integer' },
];

function load(into: Database, rows: Iterable<Row>): Promise<number> {
  return inTransaction(into, (tx) => copyIn(tx, 'things (name, n)', encodeRows(columns, rows)), {
    what: 'loading things',
    attempts: 1,
  });
}

/** Makes more rows than the buffers of both sides hold, then calls `event`. */
function* rowsThen(event: () => Row): Generator<Row> {
  for (let i = 0; i < 20_000; i += 1) yield [`row ${i} ${'x'.repeat(100)}`, i];
  yield event();
}

/** Makes rows without end, and calls `event` meanwhile: only an error can end the load. */
function* endlessRows(event: () => void): Generator<Row> {
  for (let i = 0; ; i += 1) {
    if (i === 20_000) event();
    yield [`row ${i} ${'x'.repeat(100)}`, i % 1000];
  }
}

async function expectUsable(): Promise<void> {
  expect(await load(db, [['after', 1]])).toBe(1);
  await db.query("delete from things where name = 'after'");
  expect((await db.query('select count(*) as n from things')).rows).toEqual([{ n: 0 }]);
}

test('an error of the row source ends the COPY, is thrown as it is, and leaves nothing', async () => {
  const rows = rowsThen(() => {
    throw new Error('the source broke');
  });
  await expect(load(db, rows)).rejects.toThrow('the source broke');
  await expectUsable();
});

test('a value that does not fit ends the COPY and names its column', async () => {
  await expect(
    load(
      db,
      rowsThen(() => ['x', 'text']),
    ),
  ).rejects.toThrow('column things.n: a string cannot be stored as integer');
  await expectUsable();
});

test('a row that the server refuses ends the load with its message', async () => {
  await expect(
    load(
      db,
      rowsThen(() => ['\0', 1]),
    ),
  ).rejects.toThrow(/loading things: PostgreSQL answers: invalid byte sequence/);
  await expectUsable();
});

test('a long COPY lets the event loop turn between its chunks', async () => {
  let turns = 0;
  let loading = true;
  const turn = (): void => {
    turns += 1;
    if (loading) setImmediate(turn);
  };
  const rows = function* (): Generator<Row> {
    turn();
    yield* rowsThen(() => ['last', 1]);
    loading = false;
    throw new Error(`${turns} turns`);
  };
  await expect(load(db, rows())).rejects.toThrow(/^[1-9]\d+ turns$/);
});

test('a connection that the server ends in the middle of a COPY is an error to retry, and the next load works', async () => {
  const other = openPostgres(made.options, silentLog);
  let ended: Promise<unknown> | undefined;
  const rows = endlessRows(() => {
    ended = other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy things%' and datname = current_database()",
    );
  });
  await expect(load(db, rows)).rejects.toMatchObject({ name: 'StoreError', action: 'retry' });
  await ended;
  await other.close();
  await expectUsable();
});

test('a server that is killed in the middle of a COPY is an error to retry, and after its return the load works', async () => {
  const server = await startPostgres();
  const own = openPostgres(server.options, silentLog);
  try {
    await makeTable(own);
    let killed: Promise<void> | undefined;
    const rows = endlessRows(() => {
      killed = server.kill();
    });
    const error = await load(own, rows).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ action: 'retry' });
    await killed;
    await server.start();
    expect(await load(own, [['after', 1]])).toBe(1);
    expect((await own.query('select count(*) as n from things')).rows).toEqual([{ n: 1 }]);
  } finally {
    await own.close();
    await server.close();
  }
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

test('the last run of every stream and kind is told, with its summary', async () => {
  const { runs } = opened.ledger;
  const first = await runs.start({ stream: 'persons', kind: 'scan' });
  await runs.finish(first, { status: 'failed', error: 'the platform is away' });
  const second = await runs.start({ stream: 'persons', kind: 'scan' });
  await runs.finish(second, { status: 'partial', summary: { problems: ['a page is missing'] } });
  await runs.start({ stream: 'history', kind: 'fill' });
  const [history, persons, ...rest] = await runs.readLast();
  expect(rest).toEqual([]);
  expect(history).toMatchObject({ stream: 'history', status: 'running', finishedAt: undefined });
  expect(persons).toMatchObject({
    id: second,
    status: 'partial',
    error: undefined,
    summary: { problems: ['a page is missing'] },
  });
  expect(persons?.finishedAt).toBeGreaterThanOrEqual(persons?.startedAt ?? Number.NaN);
});

test('a run is lost when the lease of its process ends, in the table too as soon as another process looks', async () => {
  const { runs } = createLedger(opened.another(), defaultSchemas);
  const id = await runs.start({ stream: 'objects', kind: 'scan' });
  const status = async () => (await opened.ledger.runs.readLast()).find((run) => run.id === id)?.status;
  const stored = async () =>
    (
      await opened.db.query('select status, finished_at is null as open from plantsync.runs where id = $1', [
        id,
      ])
    ).rows[0];
  expect(await status()).toBe('running');
  await opened.db.query(
    'update plantsync.leases set until = clock_timestamp() where id = (select lease from plantsync.runs where id = $1)',
    [id],
  );
  expect(await status()).toBe('lost');
  expect(await stored()).toEqual({ status: 'running', open: true });
  await opened.ledger.leases.sweep();
  expect(await stored()).toEqual({ status: 'lost', open: false });
});

test('knowledge about a platform is what was saved last, until it is forgotten', async () => {
  const { platformFacts } = opened.ledger;
  await platformFacts.save('https://one', 'sizes', { rows: 500 });
  await platformFacts.save('https://one', 'sizes', { rows: 900, series: [1, 2] });
  await platformFacts.save('https://one', 'total', 'untrusted');
  await platformFacts.save('https://two', 'total', null);
  expect(await platformFacts.load('https://one')).toEqual(
    new Map<string, unknown>([
      ['sizes', { rows: 900, series: [1, 2] }],
      ['total', 'untrusted'],
    ]),
  );
  expect(await platformFacts.load('https://two')).toEqual(new Map([['total', null]]));
  expect(await platformFacts.forget('https://one', 'sizes')).toEqual(['sizes']);
  expect(await platformFacts.load('https://one')).toEqual(new Map([['total', 'untrusted']]));
  await platformFacts.save('https://one', 'limit', 100);
  expect(await platformFacts.forget('https://one')).toEqual(['limit', 'total']);
  expect(await platformFacts.load('https://one')).toEqual(new Map());
  expect(await platformFacts.load('https://two')).toEqual(new Map([['total', null]]));
});

test('the outbox gives the oldest first and keeps them until they are removed', async () => {
  const { outbox } = opened.ledger;
  const add = (store: string, payloads: object[], maxEntries = 100) =>
    inTransaction(opened.db, (tx) => outbox.add({ store, payloads, maxEntries }, tx));
  await add('influx', [{ n: 1 }, { n: 2 }]);
  await add('influx', [{ n: 3 }]);
  await add('other', [{ n: 9 }]);
  const taken = await outbox.take('influx', 2);
  expect(taken.map((entry) => entry.payload)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await outbox.take('influx', 2)).toEqual(taken);
  await outbox.remove(taken.map((entry) => entry.id));
  expect(await outbox.count()).toEqual(
    new Map([
      ['influx', 1],
      ['other', 1],
    ]),
  );
  expect(await add('influx', [{ n: 4 }, { n: 5 }], 2)).toBe(1);
  expect((await outbox.take('influx', 10)).map((entry) => entry.payload)).toEqual([{ n: 4 }, { n: 5 }]);
});

test('an outbox entry goes with the transaction that it belongs to', async () => {
  const { outbox } = opened.ledger;
  const failing = inTransaction(opened.db, async (tx) => {
    await outbox.add({ store: 'rolled back', payloads: [{ n: 1 }], maxEntries: 10 }, tx);
    throw new Error('the poll failed');
  });
  await expect(failing).rejects.toThrow('the poll failed');
  expect(await outbox.take('rolled back', 10)).toEqual([]);
});

test('only the newest thousand runs of a stream and kind are kept', async () => {
  await opened.db.query(
    `insert into plantsync.runs (stream, kind, host, pid)
     select stream, 'poll', 'h', 1 from generate_series(1, 1500) cross join (values ('flooded'), ('other')) as s (stream)`,
  );
  const last = await opened.ledger.runs.start({ stream: 'flooded', kind: 'poll' });
  const { rows } = await opened.db.query(
    "select stream, count(*) as n, max(id) = $1 as newest from plantsync.runs where kind = 'poll' group by stream order by stream",
    [last],
  );
  expect(rows).toEqual([
    { stream: 'flooded', n: 1001, newest: true },
    { stream: 'other', n: 1500, newest: false },
  ]);
});

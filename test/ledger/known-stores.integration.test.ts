import { afterAll, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger | undefined;
beforeEach(async () => {
  await opened?.close();
  opened = await openTestLedger();
});
afterAll(() => opened?.close());

function ledgerOf() {
  if (opened === undefined) throw new Error('the ledger is not open');
  return opened.ledger;
}

const old = 'influx://old:8086/plant/runtime';
const moved = 'influx:main/plant/runtime';
const cover = (store: string, [from, to]: [number, number], seriesIds = [1]) =>
  ledgerOf().coverage.add({ store, stream: 'history', seriesIds, range: { from: from * 1e6, to: to * 1e6 } });

test('an empty ledger knows no store', async () => {
  expect(await ledgerOf().stores.names()).toEqual([]);
  expect(await ledgerOf().stores.list()).toEqual([]);
});

test('stores are known by their coverage, or because they were declared, each once', async () => {
  const { stores } = ledgerOf();
  for (const store of ['postgres:a', old]) await cover(store, [0, 10], [1, 2, 3]);
  for (const store of [moved, old]) await stores.add(store);
  expect((await stores.names()).sort()).toEqual([old, moved, 'postgres:a'].sort());
  const listed = await stores.list();
  expect(listed.map(({ store }) => store).sort()).toEqual((await stores.names()).sort());
  expect(listed.find(({ store }) => store === old)?.covered).toBe(3);
  expect(listed.find(({ store }) => store === moved)?.covered).toBe(0);
});

test('a store that takes over another keeps the ranges of both, and the other is forgotten', async () => {
  const { stores, coverage } = ledgerOf();
  await cover(old, [0, 10], [1, 2]);
  await cover(moved, [5, 20]);
  expect(await stores.rename('influx://old:8086/', 'influx:main/')).toBe(2);
  expect(await stores.names()).toEqual([moved]);
  const covered = await coverage.read({ store: moved, stream: 'history', seriesIds: [1, 2] });
  expect(covered.get(1)).toEqual([{ from: 0, to: 20e6 }]);
  expect(covered.get(2)).toEqual([{ from: 0, to: 10e6 }]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DriftEntry } from '../../src/streams/drift-entry.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const colour: DriftEntry = { table: 'objects', member: 'colour', kind: 'new', count: 3, sample: 'red' };
const gender: DriftEntry = { table: 'objects', member: 'gender', kind: 'missing', count: 0, sample: null };

test('drift is told as news once, and again only after a scan without it', async () => {
  const { drift } = opened.ledger;
  expect(await drift.replace('objects', [colour, gender])).toEqual([colour, gender]);
  const [first] = await drift.list();
  expect(await drift.replace('objects', [{ ...colour, count: 7, sample: 'blue' }])).toEqual([]);
  const [second, ...others] = await drift.list();
  expect(others).toEqual([]);
  expect(second).toMatchObject({
    stream: 'objects',
    ...colour,
    count: 7,
    sample: 'blue',
    since: first?.since,
  });
  expect(second?.lastAt).toBeGreaterThan(first?.lastAt ?? Number.NaN);
  expect(await drift.replace('objects', [])).toEqual([]);
  expect(await drift.replace('objects', [gender])).toEqual([gender]);
});

test('a member is told for each kind, table and stream of its own', async () => {
  const { drift } = opened.ledger;
  const retyped: DriftEntry = { ...colour, kind: 'retyped', sample: { shade: 2n ** 60n } };
  const inPart: DriftEntry = { ...colour, table: 'object_labels' };
  await drift.replace('persons', [colour, retyped, inPart]);
  expect(await drift.replace('users', [colour])).toEqual([colour]);
  expect(await drift.replace('persons', [colour, inPart])).toEqual([]);
  expect((await drift.list()).filter(({ stream }) => stream === 'persons')).toMatchObject([inPart, colour]);
  expect(await drift.forget('persons')).toBe(2);
  expect((await drift.list()).some(({ stream }) => stream === 'users')).toBe(true);
  expect(await drift.replace('persons', [colour])).toEqual([colour]);
});

test('names of any length and with any character are kept', async () => {
  const { drift } = opened.ledger;
  const entries = ['n'.repeat(10_000), 'a\u0000b', 'a\ufffdb'].map((member) => ({ ...colour, member }));
  const told = await drift.replace('awkward', entries);
  expect(told.map(({ member, count }) => [member.length, count])).toEqual([
    [3, 6],
    [10_000, 3],
  ]);
  expect(await drift.replace('awkward', entries)).toEqual([]);
});

test('a platform that writes data into the names of members does not fill the table', async () => {
  const { drift } = opened.ledger;
  const entries = Array.from({ length: 5_000 }, (_, i) => ({ ...colour, member: `id${i}` }));
  expect(await drift.replace('flood', entries)).toHaveLength(1_000);
  expect((await drift.list()).filter(({ stream }) => stream === 'flood')).toHaveLength(1_000);
  expect(await drift.replace('flood', entries.toReversed())).toEqual([]);
});

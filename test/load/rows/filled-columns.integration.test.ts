import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/postgres/connect.ts';
import { openLedgerDatabase } from '../test-data.ts';
import { none, openTable, streamOf, type TestTable } from '../test-streams.ts';

const things = streamOf('things', { name: 'text', code: 'text', size: 'integer' }, { filled: true });
const details = streamOf(
  'thing_details',
  { name: 'text', root: 'text' },
  { updates: true, parent: { stream: things, path: { name: 'name' } } },
);

let db: Database;
let close: () => Promise<void>;
let list: TestTable;
let detailed: TestTable;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
  list = await openTable(db, things);
  detailed = await openTable(db, details);
});
afterAll(() => close());

/** The columns of a reply that both list and details may tell. Null for a column without a value. */
interface Told {
  readonly code: string | null;
  readonly size: number | null;
}
const silent: Told = { code: null, size: null };

const listTells = (name: string, { code, size }: Told, extra: object | null = null) =>
  list.load([[name, code, size, extra]]);
const detailsTell = (name: string, { code, size }: Told, root = 'r') =>
  detailed.load([[name, root, code, size, null]]);

async function rowOf(name: string): Promise<Record<string, unknown> | undefined> {
  return (await list.read('name, code, size, detail_filled')).find((row) => row.name === name);
}

describe('columns that a list and its details both tell', () => {
  it('hold what the details tell where the list is silent, also after its next scans', async () => {
    await listTells('a', silent);
    expect(await detailsTell('a', { code: 'C1', size: 7 })).toEqual({ ...none, updated: 1 });
    const filled = { name: 'a', code: 'C1', size: 7, detail_filled: ['code', 'size'] };
    expect(await rowOf('a')).toEqual(filled);
    // A value that is learnt for the first time is no change.
    expect(await list.takeChanges()).toEqual([]);
    for (let scan = 0; scan < 2; scan += 1) {
      expect(await listTells('a', silent)).toEqual({ ...none, unchanged: 1 });
      expect(await detailsTell('a', { code: 'C1', size: 7 })).toEqual({ ...none, unchanged: 1 });
    }
    expect(await listTells('a', silent, { new: 1 })).toEqual({ ...none, updated: 1 });
    expect(await rowOf('a')).toEqual(filled);
    await list.takeChanges();
    expect(await detailsTell('a', { code: 'C2', size: null })).toEqual({ ...none, updated: 1 });
    expect(await rowOf('a')).toEqual({ name: 'a', code: 'C2', size: null, detail_filled: ['code'] });
    expect(await list.takeChanges()).toMatchObject([{ kind: 'updated', before: { code: 'C1', size: 7 } }]);
  });

  it('hold what the list tells, whatever the details tell', async () => {
    await listTells('b', { code: 'L', size: null });
    await detailsTell('b', { code: 'D', size: 1 });
    expect(await rowOf('b')).toEqual({ name: 'b', code: 'L', size: 1, detail_filled: ['size'] });
    await listTells('b', { code: 'L', size: 2 });
    expect(await rowOf('b')).toEqual({ name: 'b', code: 'L', size: 2, detail_filled: null });
    expect(await detailsTell('b', { code: 'D', size: 1 })).toEqual({ ...none, unchanged: 1 });
  });

  it('belong to the list as soon as it tells them, though it be with the same value', async () => {
    await listTells('c', silent);
    await detailsTell('c', { code: 'x', size: null });
    await list.takeChanges();
    expect(await listTells('c', { code: 'x', size: null })).toEqual({ ...none, unchanged: 1 });
    expect(await list.takeChanges()).toEqual([]);
    expect(await detailsTell('c', { code: 'y', size: null })).toEqual({ ...none, unchanged: 1 });
    expect(await rowOf('c')).toEqual({ name: 'c', code: 'x', size: null, detail_filled: null });
  });

  it('come to rest in any order of scans, and then cost no write', async () => {
    const told = fc.record({
      code: fc.option(fc.constantFrom('x', 'y'), { nil: null }),
      size: fc.option(fc.integer({ min: 1, max: 2 }), { nil: null }),
    });
    const steps = fc.array(fc.tuple(fc.boolean(), told), { maxLength: 6 });
    let row = 0;
    const settles = fc.asyncProperty(steps, told, told, async (before, ofList, ofDetails) => {
      row += 1;
      const name = `row ${row}`;
      await listTells(name, silent);
      for (const [isList, each] of before) await (isList ? listTells(name, each) : detailsTell(name, each));
      await listTells(name, ofList);
      await detailsTell(name, ofDetails);
      expect(await rowOf(name)).toMatchObject({
        code: ofList.code ?? ofDetails.code,
        size: ofList.size ?? ofDetails.size,
      });
      await list.takeChanges();
      expect(await listTells(name, ofList)).toEqual({ ...none, unchanged: 1 });
      expect(await detailsTell(name, ofDetails)).toEqual({ ...none, unchanged: 1 });
      expect(await list.takeChanges()).toEqual([]);
    });
    await fc.assert(settles, { numRuns: 60 });
  });
});

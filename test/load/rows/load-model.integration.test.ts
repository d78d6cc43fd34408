import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureTables } from '../../../src/load/rows/ensure-tables.ts';
import { loadRows, type RowBatch } from '../../../src/load/rows/load-rows.ts';
import { targetsOf } from '../../../src/load/rows/row-targets.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { awkwardText, openLedgerDatabase } from '../test-data.ts';
import { columnOf, streamOf } from '../test-streams.ts';
import { LoadModel, type ModelLoad } from './load-model.ts';

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await openLedgerDatabase());
});
afterAll(() => close());

const things = streamOf(
  'things',
  { owner: 'text', name: 'text', value: 'jsonb' },
  {
    key: ['owner', 'name'],
    parts: [
      {
        name: 'entries',
        about: 'Entries.',
        key: ['owner', 'name'],
        from: 'entries',
        entries: () => [],
        columns: [
          columnOf('owner', 'text', 'parent.owner'),
          columnOf('name', 'text', 'parent.name'),
          columnOf('value', 'jsonb'),
        ],
      },
    ],
  },
);
const tables = ['things', 'entries'] as const;

/** Few values of each column, so that keys meet again. 2,600 bytes are near the limit of an index. */
const owner = fc.constantFrom('o', "o'", 'ö\n', '');
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'A', '\\', 'é'.repeat(1250)) },
  { weight: 1, arbitrary: awkwardText },
);
const value = fc.oneof(fc.constantFrom(null, 1, 2, 'x', '"', [1], { a: { b: null } }), awkwardText);
const filter = fc.constantFrom(null, null, '{"keyword":"a"}', '{"keyword":"b\'"}');
const wholeOf = (missing: fc.Arbitrary<'delete' | { missesAtMost: number }>) =>
  fc.record({
    owners: fc.oneof(fc.constant('all' as const), fc.array(owner, { maxLength: 3 })),
    alsoSeen: fc.array(fc.tuple(owner, name), { maxLength: 3 }),
    missing,
  });
const loadOf = (kind: 'list' | 'part'): fc.Arbitrary<ModelLoad> =>
  fc.record(
    {
      kind: fc.constant(kind),
      filter: kind === 'list' ? filter : fc.constant(null),
      beganEmpty: fc.boolean(),
      rows: fc.array(fc.record({ owner, name, value }), { maxLength: 8 }),
      whole: wholeOf(
        kind === 'list'
          ? fc.constantFrom({ missesAtMost: 1 }, { missesAtMost: 2 }, { missesAtMost: 3 }, 'delete' as const)
          : fc.constant('delete' as const),
      ),
    },
    { requiredKeys: ['kind', 'filter', 'rows'] },
  );

/** A list may be wrong about its table, which costs only time. A part that is wrong would miss its sets. */
function batchOf({ kind, filter, rows, whole, ...load }: ModelLoad, { rows: { size } }: LoadModel): RowBatch {
  const targets = targetsOf(things, { keepRaw: false, filter });
  const target = kind === 'list' ? targets.main : targets.parts[0];
  if (target === undefined) throw new Error('no target');
  const beganEmpty = load.beganEmpty === true && (kind === 'list' || size === 0);
  return {
    target,
    beganEmpty,
    rows: rows.map((row) => [row.owner, row.name, row.value as object, null]),
    ...(whole && {
      whole: {
        ...whole,
        columns: whole.owners === 'all' ? [] : ['owner'],
        sets: whole.owners === 'all' ? [[]] : whole.owners.map((one) => [one]),
      },
    }),
  };
}

async function readState(table: string, isList: boolean): Promise<unknown[]> {
  const { rows } = await db.query(
    `select owner, name, value, deleted_at is null as live, ${isList ? 'missed_scans as misses, filter' : '0 as misses, null as filter'}
     from plant.${table}`,
  );
  return rows;
}

async function takeChanges(table: string): Promise<unknown[]> {
  const { rows } = await db.query(
    `with taken as (delete from plantsync.changes where table_name = $1 returning *)
     select key->>'owner' as owner, key->>'name' as name, kind, before->'value' as before from taken`,
    [table],
  );
  return rows;
}

const sorted = (entries: Iterable<unknown>) => [...entries].map((entry) => JSON.stringify(entry)).sort();

test('tables, counts and changes are what a plain model of the loads says, whatever comes', async () => {
  await ensureTables(db, 'plant', things, { keepRaw: false });
  const call = fc.tuple(loadOf('list'), loadOf('part'));
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
      await db.query('truncate plant.things, plant.entries, plantsync.changes');
      const models = [new LoadModel(), new LoadModel()] as const;
      for (const loads of calls) {
        const results = await loadRows(
          db,
          defaultSchemas,
          loads.map((load, k) => batchOf(load, models[k] as LoadModel)),
        );
        expect(results).toEqual(loads.map((load, k) => models[k]?.load(load)));
        for (const [k, table] of tables.entries()) {
          const { rows, changes } = models[k] as LoadModel;
          expect(sorted(await readState(table, k === 0))).toEqual(sorted(rows.values()));
          expect(sorted(await takeChanges(table))).toEqual(sorted(changes.splice(0)));
        }
      }
    }),
    { numRuns: 60 },
  );
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChosenSeries } from '../../src/ledger/chosen-series.ts';
import { askShapes, shapesSql, summedValue } from '../../src/ledger/coverage-shapes-sql.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { subtract } from '../../src/series/range.ts';
import type { Range } from '../../src/series/types.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
  // The tables of the directory come with the first scan.
  await opened.db.query(
    'create table plant.object_properties (object text, property text, primary key (object, property))',
  );
});
afterAll(() => opened.close());

const STREAM = 'history';
const IDS = [1, 2, 3, 4, 5, 6];
const PARTS = [2, 3, 4];
const HOUR = 3_600e6;
const START = 1_764_000_000e6;

const KEPT = `select store, stream, part, covered::text, sum(series)::int as n from (
    select store, stream, part, digest, covered, series from plantsync.coverage_shapes
    union all select store, stream, part, digest, covered, series from plantsync.coverage_shape_changes) as kept
  group by store, stream, part, digest, covered having sum(series) <> 0 order by 1, 2, 3, 4`;
const PLAIN = `select store, stream, coalesce(part, 0) as part, covered::text, count(*)::int as n
  from plantsync.coverage left join plantsync.chosen_series using (series_id) group by 1, 2, 3, 4
  union all select '', '', part, '{}', count(*)::int from plantsync.chosen_series group by part order by 1, 2, 3, 4`;

const store = fc.constantFrom('a', 'b');
const ids = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1 });
const range = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 8 }))
  .map(([from, hours]) => ({ from: START + from * HOUR, to: START + (from + hours) * HOUR }));
const change = fc.record({ store, stream: fc.constant(STREAM), seriesIds: ids, range });
const choice = fc.array(fc.tuple(fc.constantFrom(...IDS), fc.constantFrom(...PARTS)), { maxLength: 8 });

/** One piece of work on the ledger, as some process does it. */
type Work = () => Promise<unknown>;

function workOf(kind: string, { changed, chosen, fails }: Drawn): Work {
  const { db, ledger } = opened;
  const { coverage, stores } = ledger;
  // Emptying a table may meet other work in a deadlock, after which it is done again.
  const sql = (text: string, values: unknown[] = []) => inTransaction(db, (tx) => tx.query(text, values));
  const works: Readonly<Record<string, Work>> = {
    add: () =>
      inTransaction(db, async (tx) => {
        await coverage.add(changed, tx);
        if (fails) throw new Error('the rows failed');
      }).catch(() => undefined),
    remove: () => coverage.remove(changed),
    choose: () => ledger.chosen.keep(choiceOf(chosen)),
    chooseMany: () => createChosenSeries(db, defaultSchemas, { mostMoved: 1 }).keep(choiceOf(chosen)),
    forget: () => coverage.forget(STREAM, changed.store),
    forgetStore: () => coverage.forgetStore(changed.store),
    rename: () => stores.rename(changed.store, 'c'),
    // A program of an older version knows nothing of the counts.
    older: () =>
      sql(
        `insert into plantsync.coverage as c select $1, $2, unnest($3::bigint[]), '{[2025-11-24,2025-11-25)}'
         on conflict (store, stream, series_id) do update set covered = c.covered * excluded.covered`,
        [changed.store, STREAM, changed.seriesIds],
      ),
    // A restore empties the table, and fills it by COPY or INSERT.
    restore: () => sql('truncate plantsync.coverage'),
    unchoose: () => sql('truncate plantsync.chosen_series'),
    fold: () => sql('select plantsync.fold_coverage()'),
  };
  return works[kind] as Work;
}

interface Drawn {
  readonly changed: {
    store: string;
    stream: string;
    seriesIds: number[];
    range: { from: number; to: number };
  };
  readonly chosen: readonly (readonly [id: number, part: number])[];
  readonly fails: boolean;
}

function choiceOf(chosen: Drawn['chosen']) {
  const parts = new Map(chosen);
  return {
    ...{ digest: 'any', directory: 0, facts: {}, tookSec: () => 0 },
    parts: PARTS.map((part) => ({
      part,
      ids: [...parts].filter(([, own]) => own === part).map(([id]) => id),
    })),
  };
}

const newestGaps = fc
  .tuple(fc.integer({ min: -2, max: 26 }), fc.integer({ min: 0, max: 6 }))
  .map(([end, width]) => ({ endUs: START + end * HOUR, widthUs: width * HOUR }));

/** Adds up the gaps of series one by one. */
async function addUpGaps({
  ids,
  store,
  wanted,
  newest,
}: {
  ids: readonly number[];
  store: string;
  wanted: Range;
  newest: { endUs: number; widthUs: number };
}) {
  const covered = await opened.ledger.coverage.read({ store, stream: STREAM, seriesIds: ids });
  const gaps = ids.map((id) => subtract([wanted], covered.get(id) ?? []));
  const isNewest = ({ from, to }: Range) => to > newest.endUs && to - from < newest.widthUs;
  const missing = gaps.map((own) => own.filter((gap) => !isNewest(gap)));
  const least = (some: readonly Range[]) =>
    some.length === 0 ? undefined : Math.min(...some.map(({ from }) => from));
  return {
    series: missing.filter((own) => own.length > 0).length,
    hours: expect.closeTo(
      missing.flat().reduce((sum, { from, to }) => sum + (to - from) / HOUR, 0),
      6,
    ),
    oldest: least(missing.flat()),
    newestFrom: least(gaps.flat().filter(isNewest)),
  };
}

const step = fc.record({
  kind: fc.constantFrom(
    ...['add', 'add', 'add', 'remove', 'choose', 'chooseMany', 'forget', 'forgetStore', 'rename', 'older'],
    ...['restore', 'unchoose', 'fold'],
  ),
  changed: change,
  chosen: choice,
  fails: fc.boolean(),
});

it('keeps the counts of equal coverage, whatever changes the coverage or the choice at once', async () => {
  const { db, ledger } = opened;
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rounds, range, newestGaps, async (all, wanted, newest) => {
      for (const together of all) {
        await Promise.all(together.map(({ kind, ...drawn }) => workOf(kind, drawn)()));
        expect((await db.query(KEPT)).rows).toEqual((await db.query(PLAIN)).rows);
      }
      const { rows } = await db.query('select series_id, part from plantsync.chosen_series');
      for (const part of PARTS) {
        const own = rows.filter((row) => row.part === part).map((row) => row.series_id as number);
        const question = { stream: STREAM, store: 'a', wanted, newest };
        const [kept, plain] = await Promise.all(
          [{ parts: [part] }, { ids: own }].map((series) => ledger.coverage.sumGaps({ ...question, series })),
        );
        expect(kept).toEqual({ ...plain, hours: expect.closeTo(plain?.hours ?? 0, 6) });
        expect(plain).toEqual(await addUpGaps({ ...question, ids: own }));
        const heads = { stream: STREAM, stores: ['a', 'b'], abreastOf: wanted.to };
        expect(await ledger.coverage.readHeads({ ...heads, series: { parts: [part] } })).toEqual(
          await ledger.coverage.readHeads({ ...heads, series: { ids: own } }),
        );
      }
    }),
    { numRuns: 25 },
  );
});

it('looks up whether a shape has changed in a hash, with statistics of the changes or without', async () => {
  const table = (name: string) => `plantsync.${name}`;
  const tables = {
    coverage: table('coverage'),
    shapes: table('coverage_shapes'),
    changes: table('coverage_shape_changes'),
  };
  const series = { parts: PARTS };
  const question = {
    what: 'explaining',
    series,
    sql: `explain ${shapesSql(tables, series)} select sum(n) from shape`,
    values: [STREAM, ['a'], summedValue(series)],
  };
  const plan = async () => JSON.stringify(await askShapes(opened.db, question));
  await opened.ledger.coverage.add({ store: 'a', stream: STREAM, seriesIds: IDS, range: { from: 0, to: 1 } });
  expect(await plan()).toContain('hashed SubPlan');
  await opened.db.query(
    `insert into plantsync.coverage_shape_changes (store, stream, part, digest, covered, series)
     select 'none', '${STREAM}', 2, md5(n::text)::uuid, '{}', 1 from generate_series(1, 200000) as n`,
  );
  await opened.db.query('analyze plantsync.coverage_shape_changes');
  question.values[1] = ['none'];
  expect(await plan()).toContain('hashed SubPlan');
  await opened.db.query(`delete from plantsync.coverage_shape_changes where store = 'none'`);
});

it('leaves statistics, and no space of deleted rows, once all coverage was counted', async () => {
  const { db, ledger } = opened;
  // The server's own work on a table would be preferred.
  for (const table of ['coverage_shapes', 'coverage_shape_changes'])
    await db.query(`alter table plantsync.${table} set (autovacuum_enabled = off)`);
  await ledger.coverage.add({ store: 'a', stream: STREAM, seriesIds: IDS, range: { from: 0, to: 1 } });
  const chosen = createChosenSeries(db, defaultSchemas, { mostMoved: 1 });
  await chosen.keep({
    ...{ digest: 'many', directory: await chosen.begin(), facts: {}, tookSec: () => 0 },
    parts: [{ part: 2, ids: IDS }],
  });
  const { rows } = await db.query(
    `select exists (select from pg_stats where tablename = 'coverage_shapes' and attname = 'part') as analyzed,
       pg_relation_size('plantsync.coverage_shape_changes') as bytes`,
  );
  expect(rows).toEqual([{ analyzed: true, bytes: 0 }]);
});

it('tells a choice only until the directory changes, or other selections choose', async () => {
  const { db, ledger } = opened;
  const choose = async () =>
    ledger.chosen.keep({
      ...{ digest: 'mine', directory: await ledger.chosen.begin(), facts: { unmatched: 7 } },
      tookSec: () => 0,
      parts: [
        { part: 2, ids: [1, 2] },
        { part: 3, ids: [4] },
      ],
    });
  await choose();
  expect(await ledger.chosen.read('mine')).toEqual({
    ...{
      series: new Map([
        [2, 2],
        [3, 1],
      ]),
      facts: { unmatched: 7 },
    },
  });
  expect(await ledger.chosen.read('other')).toBeUndefined();
  for (const statement of [
    `insert into plant.object_properties values ('pump1', 'temp')`,
    `update plant.object_properties set property = 'speed'`,
    'delete from plant.object_properties',
    'truncate plant.object_properties',
  ]) {
    await choose();
    await db.query(`update plant.object_properties set property = 'x' where object = 'none'`);
    expect(await ledger.chosen.read('mine'), 'nothing has changed').toBeDefined();
    await db.query(statement);
    expect(await ledger.chosen.read('mine'), statement).toBeUndefined();
  }
});

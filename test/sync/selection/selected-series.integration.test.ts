import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { Selection } from '../../../src/config/config-schema.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { ensureTables } from '../../../src/load/rows/ensure-tables.ts';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { matchSeries, selectSeries } from '../../../src/sync/selection/select-series.ts';
import { SeriesCatalog } from '../../../src/sync/selection/series-catalog.ts';
import { createDatabaseWithLedger } from '../../support/servers/servers.ts';

async function openLedger(): Promise<Database> {
  const made = await createDatabaseWithLedger();
  const db = openPostgres(made.options, silentLog);
  onTestFinished(async () => {
    await db.close();
    await made.drop();
  });
  await ensureTables(db, defaultSchemas.data, objectProperties, { keepRaw: false });
  return db;
}

async function openCatalog(db: Database, runtime: readonly object[]) {
  const platform = { baseUrl: 'http://127.0.0.1:9', appId: 'a', secret: 's' };
  const config = await loadConfig({ env: {}, overrides: { platform, runtime } as never });
  const ledger = createLedger(db, defaultSchemas);
  const catalog = new SeriesCatalog({ config, db, schemas: defaultSchemas, ledger, clock: () => 0 });
  return { catalog, selections: config.runtime };
}

const pattern = fc.constantFrom('*', 'a', 'b', 'a*', '*b', '{a,b}', '[ab]?', '!a*', '!(a|b)', '?(a)b', 'ab');
const selection = fc.record({
  objects: pattern,
  properties: pattern,
  recorded: fc.constantFrom('only' as const, 'any' as const),
});
const property = fc.record({
  object: fc.stringMatching(/^[abc]{1,2}$/),
  property: fc.stringMatching(/^[ab]{1,2}$/),
  persisted: fc.option(fc.boolean()),
  logged: fc.option(fc.boolean()),
});
const filter = fc.record({ objects: fc.option(pattern, { nil: undefined }), properties: pattern });

it('each selection reads the series that its rules give to it', async () => {
  const db = await openLedger();
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(property, { selector: (each) => `${each.object}.${each.property}`, maxLength: 25 }),
      fc.array(selection, { minLength: 1, maxLength: 4 }),
      filter,
      async (properties, runtime, narrowing) => {
        await db.query('truncate plant.object_properties');
        await db.query(
          `insert into plant.object_properties (object, property, persisted, logged)
           select object, property, persisted, logged
           from json_to_recordset($1::json) as r (object text, property text, persisted boolean, logged boolean)`,
          [JSON.stringify(properties)],
        );
        await db.query(
          `insert into plant.object_properties (object, property, persisted, deleted_at) values ('gone', 'a', true, now())`,
        );
        const { catalog, selections } = await openCatalog(db, runtime);
        const { chosen, unrecorded, unmatched } = await selectSeries(selections, {
          properties: properties.map((each) => ({
            ...each,
            recorded: each.persisted === true || each.logged === true,
          })),
          named: (name) => ({ ...name, recorded: true, persisted: null, logged: null }),
        });
        const namesOf = (series: readonly { object: string; property: string }[]) =>
          series.map((each) => `${each.object} ${each.property}`).sort();
        const isWithin = matchSeries({ ...narrowing, objects: narrowing.objects ?? '*' });
        for (const [k, each] of selections.entries()) {
          const expected = chosen[k] ?? [];
          const asked = (filtered?: typeof narrowing) => readAll(catalog, each, filtered);
          expect(namesOf(await asked(narrowing))).toEqual(namesOf(expected.filter(isWithin)));
          expect(await catalog.count(each)).toBe(expected.length);
          expect(namesOf(await asked())).toEqual(namesOf(expected));
        }
        expect(await catalog.countLeftOut()).toEqual({
          unrecorded: unrecorded.length,
          unmatched: unmatched.length,
        });
      },
    ),
    { numRuns: 60 },
  );
});

it('a selection of any size is read in parts, each series once, and is registered on the way', async () => {
  const db = await openLedger();
  await db.query(
    `insert into plant.object_properties (object, property, primitive_type, persisted)
     select 'o' || n, 'p', 'Double', true from generate_series(1, 12000) as n`,
  );
  // Some are known, one of them with another type, and one as vanished.
  await db.query(
    `insert into plant.series (object, property, primitive_type, vanished_at)
     select 'o' || n, 'p', case when n = 2 then 'String' else 'Double' end, case when n = 3 then now() end
     from generate_series(1, 5000) as n`,
  );
  const { catalog, selections } = await openCatalog(db, [{ objects: 'o*' }]);
  const [each] = selections;
  if (each === undefined) throw new Error('there is a selection');
  const sizes: number[] = [];
  const seen = new Set<string>();
  for await (const part of catalog.read(each)) {
    sizes.push(part.length);
    for (const series of part) seen.add(`${series.id} ${series.object} ${series.primitiveType}`);
  }
  expect(sizes).toEqual([1_000, 10_000, 1_000]);
  const { rows } = await db.query(
    `select series_id || ' ' || object || ' ' || primitive_type as told from plant.series where vanished_at is null`,
  );
  expect([...seen].sort()).toEqual(rows.map(({ told }) => told).sort());
  expect(seen.size).toBe(12_000);
});

async function readAll(
  catalog: SeriesCatalog,
  selection: Selection,
  filter: { objects?: string | undefined; properties: string } | undefined,
) {
  const all = [];
  for await (const part of catalog.read(selection, filter)) all.push(...part);
  return all;
}

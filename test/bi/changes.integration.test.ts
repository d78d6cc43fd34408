import { expect, test } from 'vitest';
import { networkNodes } from '../../src/streams/network-nodes.ts';
import { objectDetails } from '../../src/streams/object-details.ts';
import { objectProperties } from '../../src/streams/object-properties.ts';
import { objects } from '../../src/streams/objects.ts';
import { persons } from '../../src/streams/persons.ts';
import { type MadePlant, microsOf, useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

const CREATED = { created_at: microsOf('2023-06-01 00:00') };
const pump = (more: object) => ({ name: 'pump1', show_name: 'Pump', ...more });
const LOG = 'select object, table_name, at, kind, column_name, old, new from bi.change_log';

/** A pump that is renamed, deleted, and comes back with another template. */
async function openChangedPlant(): Promise<MadePlant> {
  const plant = await openPlant();
  await plant.load(objects, '2024-01-01 00:00', [pump(CREATED)]);
  await plant.load(objectDetails, '2024-01-01 00:00', [{ name: 'pump1', template_name: 'Pump' }]);
  await plant.load(objects, '2024-02-01 00:00', [
    pump({ ...CREATED, show_name: 'Feed pump', description: 'Feeds' }),
  ]);
  await plant.remove(objects, '2024-03-01 00:00', [{ name: 'pump1' }]);
  await plant.load(objects, '2024-04-01 00:00', [pump({ show_name: 'Feed pump' })]);
  await plant.load(objectDetails, '2024-05-01 00:00', [{ name: 'pump1', template_name: 'Pump2' }]);
  return plant;
}

test('a change tells each column that it changed, with both values', async () => {
  const plant = await openChangedPlant();
  const log = await plant.ask(`${LOG} order by at, column_name`);
  const of = (at: string, kind: string, column: string, old: unknown, now: unknown) => [
    ...['pump1', 'objects', at, kind, column, old, now],
  ];
  expect(log).toEqual([
    of('2024-02-01 00:00', 'updated', 'description', null, 'Feeds'),
    of('2024-02-01 00:00', 'updated', 'show_name', 'Pump', 'Feed pump'),
    of('2024-03-01 00:00', 'deleted', 'deleted_at', null, '2024-03-01 00:00'),
    of('2024-04-01 00:00', 'restored', 'created_at', '2023-06-01 00:00', null),
    of('2024-04-01 00:00', 'restored', 'deleted_at', '2024-03-01 00:00', null),
    of('2024-04-01 00:00', 'restored', 'description', 'Feeds', null),
    of('2024-05-01 00:00', 'updated', 'template_name', 'Pump', 'Pump2'),
  ]);
});

test('the log is the same in every time zone of the reader', async () => {
  const plant = await openPlant();
  const made = { created_at: microsOf('2023-06-01 00:00') + 123_456 };
  await plant.load(objects, '2024-01-01 00:00', [pump(made)]);
  await plant.load(objects, '2024-02-01 00:00', [pump({ ...made, code: '7' })]);
  const client = await plant.db.connect();
  try {
    await client.query(`set timezone to 'Asia/Kolkata'`);
    const { rows } = await client.query('select column_name, old, new from bi.change_log');
    expect(rows).toEqual([{ column_name: 'code', old: null, new: '7' }]);
  } finally {
    await client.query('reset timezone');
    client.release();
  }
});

test('rows of all tables name the object that they belong to', async () => {
  const plant = await openPlant();
  for (const [at, text] of [
    ['2024-01-01 00:00', 'one'],
    ['2024-02-01 00:00', 'two'],
  ] as const) {
    await plant.load(objectProperties, at, [{ object: 'pump1', property: 'temp', show_name: text }]);
    await plant.load(networkNodes, at, [
      { network: 'n', path: 'line~11/pump~1~01', name: 'pump/~1', parent: 'line/1', show_name: text },
    ]);
    await plant.load(persons, at, [{ name: 'P1', show_name: text }]);
  }
  expect(await plant.ask(`${LOG} order by table_name`)).toEqual([
    ['pump/~1', 'network_nodes', '2024-02-01 00:00', 'updated', 'show_name', 'one', 'two'],
    ['pump1', 'object_properties', '2024-02-01 00:00', 'updated', 'show_name', 'one', 'two'],
    [null, 'persons', '2024-02-01 00:00', 'updated', 'show_name', 'one', 'two'],
  ]);
});

test('the changes of one object are found by index, whatever table they are of', async () => {
  const plant = await openPlant();
  await plant.run(
    `insert into plantsync.changes (table_name, key, kind, before)
       select t, jsonb_build_object(k, 'o' || n), 'updated', '{"show_name": "x"}'
       from generate_series(1, 5000) as n,
         (values ('objects', 'name'), ('object_properties', 'object'), ('object_labels', 'object')) as of (t, k);
     analyze plantsync.changes`,
  );
  const { rows } = await plant.db.query(`explain ${LOG} where object = 'o77'`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('changes_by_object');
  expect(plan).not.toMatch(/Seq Scan on changes/);
});

test('what was true of an object at an instant comes out of its changes', async () => {
  const plant = await openChangedPlant();
  const at = (instant: string) =>
    plant.ask(`select object, object_name, template_name, existed from bi.objects_at('${instant}')`);
  expect(await at('2023-01-01')).toEqual([['pump1', null, null, null]]);
  expect(await at('2024-01-01')).toEqual([['pump1', 'Pump', 'Pump', true]]);
  expect(await at('2024-01-31 23:59:59')).toEqual([['pump1', 'Pump', 'Pump', true]]);
  expect(await at('2024-02-01')).toEqual([['pump1', 'Feed pump', 'Pump', true]]);
  expect(await at('2024-03-01')).toEqual([['pump1', 'Feed pump', 'Pump', false]]);
  expect(await at('2024-04-01')).toEqual([['pump1', 'Feed pump', 'Pump', true]]);
  expect(await at('2025-01-01')).toEqual([['pump1', 'Feed pump', 'Pump2', true]]);
  expect(
    await plant.ask('select object_name, from_at, to_at, existed from bi.object_versions order by from_at'),
  ).toEqual([
    ['Pump', '2024-01-01 00:00', '2024-02-01 00:00', true],
    ['Feed pump', '2024-02-01 00:00', '2024-03-01 00:00', true],
    ['Feed pump', '2024-03-01 00:00', '2024-04-01 00:00', false],
    ['Feed pump', '2024-04-01 00:00', '2024-05-01 00:00', true],
    ['Feed pump', '2024-05-01 00:00', null, true],
  ]);
});

test('an object did not exist before the platform made it, and nobody knows of it before it was seen', async () => {
  const plant = await openPlant();
  await plant.load(objects, '2024-01-01 00:00', [pump(CREATED)]);
  const at = (instant: string) => plant.ask(`select object_name, existed from bi.objects_at('${instant}')`);
  expect(await at('2023-05-31')).toEqual([[null, false]]);
  expect(await at('2023-06-01')).toEqual([[null, null]]);
});

test('an object that moves has the parents of that time', async () => {
  const plant = await openPlant();
  await plant.load(objects, '2024-01-01 00:00', [pump({})]);
  const node = (network: string, path: string, parent: string | null) => ({
    ...{ network, path, name: path.split('/').at(-1), parent },
  });
  await plant.load(networkNodes, '2024-01-01 00:00', [
    node('n', 'line1/pump1', 'line1'),
    node('m', 'hall/pump1', 'hall'),
    node('k', 'pump1', null),
  ]);
  await plant.load(networkNodes, '2024-02-01 00:00', [node('n', 'line2/pump1', 'line2')]);
  await plant.remove(networkNodes, '2024-02-01 00:00', [{ network: 'n', path: 'line1/pump1' }]);
  await plant.remove(networkNodes, '2024-03-01 00:00', [
    { network: 'n', path: 'line2/pump1' },
    { network: 'm', path: 'hall/pump1' },
  ]);
  const at = async (instant: string) =>
    (await plant.ask(`select parent from bi.objects_at('${instant}')`))[0]?.[0];
  expect(await at('2023-12-31')).toBeNull();
  expect(await at('2024-01-15')).toEqual(['hall', 'line1']);
  expect(await at('2024-02-15')).toEqual(['hall', 'line2']);
  expect(await at('2024-03-15')).toBeNull();
});

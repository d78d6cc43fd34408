import { expect, test } from 'vitest';
import { type BiDatabase, openBi } from './open-bi.ts';
import { fillSmallPlant } from './small-plant.ts';

async function openPlant(): Promise<BiDatabase> {
  const bi = await openBi();
  await fillSmallPlant(bi);
  return bi;
}

test('tags name each series as people do, with the notes of people field by field', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows(
      `select object, object_name, template_name, property, property_name, unit, low, high, live, primitive_type
       from bi.tags order by series_id`,
    ),
  ).toEqual([
    ['pump1', 'Feed pump 1', 'Pump', 'temp', 'Bearing temperature', '°C', 10, 80, true, 'Double'],
    ['pump1', 'Feed pump 1', 'Pump', 'mode', 'mode', null, null, null, true, 'String'],
    ['pump2', 'pump2', 'Pump', 'temp', 'Temperature of the spare pump', '°C', 10, 95, true, 'Double'],
    ['tank', 'tank', null, 'level', 'level', null, null, null, true, null],
  ]);
  expect(await bi.rows('select object_labels, property_labels from bi.tags order by series_id')).toEqual([
    [['production', 'water'], ['measured']],
    [['production', 'water'], null],
    [['spare'], null],
    [null, null],
  ]);
});

test('tags follow renames and deletes, and keep the names of what is gone', async () => {
  const bi = await openPlant();
  await bi.db.query(`update plant.objects set show_name = 'Pump A' where name = 'pump1'`);
  await bi.db.query(`update plant.objects set deleted_at = '2026-03-05T00:00Z' where name = 'pump2'`);
  await bi.db.query(`update plant.object_labels set deleted_at = now() where label = 'water'`);
  await bi.db.query(
    `update plant.object_properties set deleted_at = '2026-03-06T00:00Z' where property = 'mode'`,
  );
  expect(
    await bi.rows(
      `select object_name, object_labels, live, vanished_at = least('2026-03-05T00:00Z'::timestamptz, vanished_at)
       from bi.tags where object like 'pump%' order by series_id`,
    ),
  ).toEqual([
    ['Pump A', ['production'], true, null],
    ['Pump A', ['production'], false, false],
    ['pump2', ['spare'], false, true],
  ]);
});

test('columns of tags that nobody selects are not computed', async () => {
  const bi = await openPlant();
  const plan = async (sql: string) => (await bi.rows(`explain (costs off) ${sql}`)).flat().join('\n');
  const whole = await plan('select * from bi.tags');
  for (const table of ['object_labels', 'property_labels', 'property_notes', 'objects', 'object_properties'])
    expect(whole).toContain(`on ${table} `);
  const bare = await plan('select series_id, object, first_seen_at from bi.tags');
  expect(bare).not.toMatch(/labels|notes|objects|object_properties/);
});

test('org_closure has each node below each node above it, and below the root', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows('select ancestor, node, node_name, path, distance from bi.org_closure order by 1, 2'),
  ).toEqual([
    ['assembly', 'assembly', 'Assembly', 'works/production/assembly', 0],
    ['office', 'office', 'office', 'works/office', 0],
    ['production', 'assembly', 'Assembly', 'works/production/assembly', 1],
    ['production', 'production', 'Production', 'works/production', 0],
    ['works', 'assembly', 'Assembly', 'works/production/assembly', 2],
    ['works', 'office', 'office', 'works/office', 1],
    ['works', 'production', 'Production', 'works/production', 1],
    ['works', 'works', 'Works', 'works', 0],
  ]);
  await bi.db.query(`update plant.org_nodes set deleted_at = now() where name = 'assembly'`);
  expect(await bi.rows(`select node from bi.org_closure where ancestor = 'production'`)).toEqual([
    ['production'],
  ]);
});

test('object_tree has each object below each object above it, also with a slash in its name', async () => {
  const bi = await openPlant();
  expect(
    await bi.rows(
      `select ancestor, object, object_name, template_name, distance, depth from bi.object_tree
       where network = 'factory' and ancestor_path like 'line1%' order by ancestor_path, path`,
    ),
  ).toEqual([
    ['line1', 'line1', 'Line 1', 'Line', 0, 1],
    ['line1', 'pump1', 'Feed pump 1', 'Pump', 1, 2],
    ['line1', 'a/b', 'a/b', null, 2, 3],
    ['line1', 'pump2', 'pump2', 'Pump', 1, 2],
    ['pump1', 'pump1', 'Feed pump 1', 'Pump', 0, 2],
    ['pump1', 'a/b', 'a/b', null, 1, 3],
    ['a/b', 'a/b', 'a/b', null, 0, 3],
    ['pump2', 'pump2', 'pump2', 'Pump', 0, 2],
  ]);
});

test('person_departments has each person once at each node, and at the root who is at no node', async () => {
  const bi = await openPlant();
  const departments = () =>
    bi.rows(
      'select person, person_name, username, has_account, node, node_name, path from bi.person_departments order by 1, 5',
    );
  expect(await departments()).toEqual([
    ['P1', 'Li Na', 'lina', true, 'assembly', 'Assembly', 'works/production/assembly'],
    ['P2', 'Wang Wei', null, false, 'production', 'Production', 'works/production'],
    ['P3', 'P3', 'p3', true, 'works', 'Works', 'works'],
  ]);
  const counts = await bi.rows(
    `select c.ancestor, count(distinct p.person) filter (where p.has_account)::int as with_account,
       count(distinct p.person) filter (where not p.has_account)::int
     from bi.org_closure as c join bi.person_departments as p on p.org = c.org and p.node = c.node
     group by 1 order by 1`,
  );
  expect(counts).toEqual([
    ['assembly', 1, 0],
    ['production', 1, 1],
    ['works', 2, 1],
  ]);
  await bi.db.query(`update plant.persons set deleted_at = now() where name = 'P1'`);
  await bi.db.query(`update plant.person_organizations set deleted_at = now() where person = 'P2'`);
  expect((await departments()).map(([person, , , , node]) => [person, node])).toEqual([
    ['P2', 'works'],
    ['P3', 'works'],
  ]);
});

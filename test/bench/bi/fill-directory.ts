import type { Database } from '../../../src/postgres/connect.ts';
import type { PlantSize } from './plant-size.ts';

const PUMPS_PER_LINE = 10;
const DEPARTMENTS = 40;
const PERSONS = 500;

/** Fills objects, properties, networks, organizations, people and notes. */
export async function fillDirectory(db: Database, size: PlantSize, from: Date): Promise<void> {
  await fillObjects(db, size);
  await db.query(
    `insert into plant.series (object, property, primitive_type, first_seen_at)
     select object, property, primitive_type, $1 from plant.object_properties order by property, object`,
    [from],
  );
  await fillNetwork(db, size);
  await fillOrganization(db);
  await db.query(`insert into plant.property_notes (object, property, unit, low, high) values
    ('*', 'temp', '°C', 10, 78), ('*', 'pressure', 'bar', 1, null), ('*', 'flow', 'm³/h', null, null),
    ('*', 'energy', 'kWh', null, null), ('*', 'power', 'kW', null, null), ('*', 'level', '%', 5, 95)`);
  await db.query(`insert into plant.shifts (name, begins, ends) values
    ('early', '06:00', '14:00'), ('late', '14:00', '22:00'), ('night', '22:00', '06:00')`);
}

async function fillObjects(db: Database, { pumps, meters, tanks }: PlantSize): Promise<void> {
  for (const [template, count, types] of [
    ['Pump', pumps, { temp: 'Double', pressure: 'Double', flow: 'Double', state: 'String', hours: 'Double' }],
    ['Meter', meters, { energy: 'Double', power: 'Double' }],
    ['Tank', tanks, { level: 'Double', open: 'Boolean' }],
  ] as const) {
    await db.query(
      `insert into plant.objects (name, show_name, template_name)
       select lower($1) || n, $1 || ' ' || n, $1 from generate_series(1, $2) as n`,
      [template, count],
    );
    await db.query(
      `insert into plant.object_properties (object, property, show_name, primitive_type)
       select o.name, p.key, initcap(p.key), p.value from plant.objects as o, jsonb_each_text($2) as p
       where o.template_name = $1`,
      [template, JSON.stringify(types)],
    );
  }
}

/** A network: lines below a plant, with ten pumps each. */
async function fillNetwork(db: Database, { pumps }: PlantSize): Promise<void> {
  await db.query(
    `with lines as (select n from generate_series(1, $1) as n), added as (
       insert into plant.objects (name, show_name, template_name)
       select 'line' || n, 'Line ' || n, 'Line' from lines)
     insert into plant.network_nodes (network, path, name, parent, parent_path, depth, position)
     select 'factory', 'line' || n, 'line' || n, null, null, 1, n from lines`,
    [Math.ceil(pumps / PUMPS_PER_LINE)],
  );
  await db.query(
    `insert into plant.network_nodes (network, path, name, parent, parent_path, depth, position)
     select 'factory', n.name || '/pump' || p, 'pump' || p, n.name, n.path, 2, p
     from generate_series(1, $1) as p join plant.network_nodes as n on n.name = 'line' || 1 + (p - 1) / $2`,
    [pumps, PUMPS_PER_LINE],
  );
  await db.query(`insert into plant.networks (name, show_name) values ('factory', 'Factory')`);
}

/** An organization: departments in a tree, each below the one with half its number. */
async function fillOrganization(db: Database): Promise<void> {
  await db.query(`insert into plant.org_trees (name, show_name) values ('plant', 'Plant')`);
  await db.query(
    `with recursive nodes as (
       select 1 as n, 'plant/d1' as path, 'plant' as parent, 1 as depth
       union all
       select child, nodes.path || '/d' || child, 'd' || nodes.n, nodes.depth + 1
       from nodes cross join lateral (values (2 * nodes.n), (2 * nodes.n + 1)) as c (child) where child <= $1)
     insert into plant.org_nodes (org, name, show_name, parent, path, depth)
     select 'plant', 'd' || n, 'Department ' || n, parent, path, depth from nodes`,
    [DEPARTMENTS],
  );
  await db.query(
    `insert into plant.persons (name, show_name, username)
     select 'P' || n, 'Person ' || n, case when n % 3 > 0 then 'user' || n end from generate_series(1, $1) as n`,
    [PERSONS],
  );
  await db.query(
    `insert into plant.person_organizations (person, position, org, node)
     select 'P' || n, 1, 'plant', 'd' || 1 + n % $2 from generate_series(1, $1) as n`,
    [PERSONS, DEPARTMENTS],
  );
}

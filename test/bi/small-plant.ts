import type { BiDatabase } from './open-bi.ts';

/**
 * A small plant: two pumps of a template in a line of a network, an organization with three nodes, and a few
 * points. Series 1 is `pump1.temp`, 2 `pump1.mode`, 3 `pump2.temp`, 4 `tank.level`.
 */
const PLANT_SQL = `
  insert into plant.objects (name, show_name, template_name) values
    ('line1', 'Line 1', 'Line'), ('pump1', 'Feed pump 1', 'Pump'), ('pump2', '', 'Pump');
  insert into plant.object_labels (object, position, label) values
    ('pump1', 1, 'production'), ('pump1', 2, 'water'), ('pump2', 1, 'spare');
  insert into plant.object_properties (object, property, show_name, primitive_type) values
    ('pump1', 'temp', 'Temperature', 'Double'), ('pump1', 'mode', null, 'String'), ('pump2', 'temp', 'Temperature', 'Double');
  insert into plant.property_labels (object, property, position, label) values ('pump1', 'temp', 1, 'measured');
  insert into plant.series (object, property, primitive_type) values
    ('pump1', 'temp', 'Double'), ('pump1', 'mode', 'String'), ('pump2', 'temp', 'Double'), ('tank', 'level', null);
  insert into plant.property_notes (object, property, unit, display_name, low, high) values
    ('*', 'temp', '°C', 'Bearing temperature', 10, 80), ('pump2', 'temp', null, 'Temperature of the spare pump', null, 95);

  insert into plant.networks (name) values ('factory');
  insert into plant.network_nodes (network, path, name, parent, parent_path, depth, template_name) values
    ('factory', 'line1', 'line1', null, null, 1, 'Line'),
    ('factory', 'line1/pump1', 'pump1', 'line1', 'line1', 2, 'Pump'),
    ('factory', 'line1/pump2', 'pump2', 'line1', 'line1', 2, 'Pump'),
    ('factory', 'line1/pump1/a~1b', 'a/b', 'pump1', 'line1/pump1', 3, null);

  insert into plant.org_trees (name, show_name) values ('works', 'Works');
  insert into plant.org_nodes (org, name, parent, show_name, path, depth) values
    ('works', 'production', 'works', 'Production', 'works/production', 1),
    ('works', 'assembly', 'production', 'Assembly', 'works/production/assembly', 2),
    ('works', 'office', 'works', null, 'works/office', 1);
  insert into plant.persons (name, show_name, username) values ('P1', 'Li Na', 'lina'), ('P2', 'Wang Wei', null), ('P3', null, null);
  insert into plant.users (username, person) values ('lina', 'P1'), ('p3', 'P3');
  insert into plant.org_node_persons (org, node, person) values ('works', 'assembly', 'P1');
  insert into plant.person_organizations (person, position, org, node) values
    ('P1', 1, 'works', 'assembly'), ('P2', 1, 'works', 'production'), ('P2', 2, null, null);
  insert into plant.org_persons (org, person) values ('works', 'P1'), ('works', 'P2'), ('works', 'P3');

  select plant.make_month('samples', '2026-02-01'), plant.make_month('samples', '2026-03-01');
  insert into plant.samples (series_id, at, value, text, quality) values
    (1, '2026-02-10T00:00Z', 20, null, null), (1, '2026-03-01T00:00Z', 21.5, null, null),
    (2, '2026-02-10T00:00Z', null, 'running', null), (3, '2026-02-11T00:00Z', null, null, 'null');
  insert into plant.current_values (series_id, at, value, text, quality, changed_at) values
    (1, '2026-02-28T00:00Z', 21, null, null, now()), (2, '2026-03-02T00:00Z', null, 'idle', null, now()),
    (3, '2026-02-11T00:00Z', 7, null, null, now())`;

export async function fillSmallPlant({ db }: BiDatabase): Promise<void> {
  await db.query(PLANT_SQL);
}

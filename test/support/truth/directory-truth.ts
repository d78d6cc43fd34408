import { expect } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import type { Truth } from '../../../src/simulator/truth.ts';
import type { DatabaseReader } from '../plant-databases.ts';
import * as networks from './networks-truth.ts';
import * as objects from './objects-truth.ts';
import * as orgs from './orgs-truth.ts';
import * as people from './people-truth.ts';
import * as properties from './properties-truth.ts';
import { type ExpectedRow, keyedRows, keyOf } from './truth-reader.ts';

export interface Plant {
  readonly simulator: Simulator;
  readonly databases: DatabaseReader;
}

interface ExpectedTable {
  readonly key: readonly string[];
  readonly rows: (truth: Truth) => ExpectedRow[];
  /** Whether rows stay when no record shows them any more. */
  readonly keepsRows?: true;
}

/** The expected content of every table of the directory, computed from the platform's truth alone. */
export const expectedTables: Readonly<Record<string, ExpectedTable>> = {
  persons: { key: ['name'], rows: people.persons },
  person_organizations: { key: ['person', 'position'], rows: people.personOrganizations },
  users: { key: ['username'], rows: people.users },
  user_roles: { key: ['username', 'role'], rows: people.userRoles },
  roles: { key: ['name'], rows: people.roles, keepsRows: true },
  org_trees: { key: ['name'], rows: orgs.orgTrees },
  org_tree_labels: { key: ['org', 'position'], rows: orgs.orgTreeLabels },
  org_tree_persons: { key: ['org', 'person'], rows: orgs.orgTreePersons },
  org_tree_leaders: { key: ['org', 'person'], rows: orgs.orgTreeLeaders },
  org_nodes: { key: ['org', 'name'], rows: orgs.orgNodes },
  org_node_labels: { key: ['org', 'node', 'position'], rows: orgs.orgNodeLabels },
  org_node_links: { key: ['org', 'node', 'position'], rows: orgs.orgNodeLinks },
  org_node_person_codes: { key: ['org', 'node', 'person'], rows: orgs.orgNodePersonCodes },
  org_persons: { key: ['org', 'person'], rows: orgs.orgPersons },
  org_node_persons: { key: ['org', 'node', 'person'], rows: orgs.orgNodePersons },
  objects: { key: ['name'], rows: objects.objects },
  object_labels: { key: ['object', 'position'], rows: objects.objectLabels },
  object_features: { key: ['object', 'position'], rows: objects.objectFeatures },
  object_events: { key: ['object', 'event'], rows: objects.objectEvents },
  object_services: { key: ['object', 'service'], rows: objects.objectServices },
  object_service_inputs: { key: ['object', 'service', 'input'], rows: objects.objectServiceInputs },
  object_subscriptions: { key: ['object', 'subscription'], rows: objects.objectSubscriptions },
  object_properties: { key: ['object', 'property'], rows: properties.objectProperties },
  property_labels: { key: ['object', 'property', 'position'], rows: properties.propertyLabels },
  property_fields: { key: ['object', 'property', 'field'], rows: properties.propertyFields },
  networks: { key: ['name'], rows: networks.networks },
  network_nodes: { key: ['network', 'path'], rows: networks.networkNodes },
  network_node_properties: { key: ['network', 'path', 'property'], rows: networks.networkNodeProperties },
};

/** The columns that say something about the row and not about the record. */
const bookkeeping = ['first_seen_at', 'changed_at', 'deleted_at', 'missed_scans', 'filter'];

/**
 * Expects that the live rows of every table are those of the platform's truth, in all columns, and that there
 * is no other table. Resolves to the number of rows.
 */
export async function expectWholeDirectory({ simulator, databases }: Plant): Promise<number> {
  let count = 0;
  for (const table of Object.keys(expectedTables))
    count += await expectTable({ simulator, databases }, table);
  const others = ['alarm', 'series', 'samples', 'current_values', 'rollup_', 'property_notes', 'shifts'];
  const tables = await databases.rows(
    `select table_name::text from information_schema.tables where table_schema = 'plant' order by 1`,
  );
  expect(tables.filter((name) => !others.some((other) => String(name).startsWith(other)))).toEqual(
    Object.keys(expectedTables).sort(),
  );
  return count;
}

/** Expects that the live rows of one table are those of the truth, in all columns or `without` some. */
export async function expectTable(
  { simulator, databases }: Plant,
  table: string,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<number> {
  const { key, rows, keepsRows } = expectedTables[table] as ExpectedTable;
  const cut = (all: readonly ExpectedRow[]) => all.map((row) => omit(row, [...bookkeeping, ...without]));
  const expected = byKey(cut(keyedRows(rows(simulator.truth), key)), key);
  const stored = byKey(cut(await readLive(databases, table)), key);
  for (const [id, row] of expected) expect([id, stored.get(id)], `${table} ${id}`).toEqual([id, row]);
  if (!keepsRows) expect([...stored.keys()], table).toEqual([...expected.keys()]);
  return expected.size;
}

async function readLive(databases: DatabaseReader, table: string): Promise<ExpectedRow[]> {
  return (await databases.db.query<ExpectedRow>(`select * from plant.${table} where deleted_at is null`))
    .rows;
}

function omit(row: ExpectedRow, columns: readonly string[]): ExpectedRow {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));
}

function byKey(rows: readonly ExpectedRow[], key: readonly string[]): Map<string, ExpectedRow> {
  return new Map(
    rows.map((row): [string, ExpectedRow] => [keyOf(row, key), row]).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

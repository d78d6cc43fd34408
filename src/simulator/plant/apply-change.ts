import type { OperationId } from '../../platform/operations.ts';
import type { PlainRecord } from '../values.ts';
import type { World } from '../world.ts';
import type { Collection } from './collection.ts';
import type { Plant } from './plant.ts';

export const collectionNames = [
  'persons',
  'users',
  'orgs',
  'objects',
  'networks',
  'nodes',
  'properties',
] as const;
export type CollectionName = (typeof collectionNames)[number];

/** A change of the plant's master data while it runs. */
export type Change = {
  readonly collection: CollectionName;
  /** The tree of `nodes`, or the object of `properties`. */
  readonly of?: string;
} & (
  | { readonly kind: 'add'; readonly record: PlainRecord; readonly place?: 'first' | 'last' }
  /** A changed name renames the record. */
  | { readonly kind: 'update'; readonly key: string; readonly change: PlainRecord }
  | { readonly kind: 'remove'; readonly key: string }
);

/** Changes a record. Throws if there is no record with the key. */
export function applyChange(plant: Plant, change: Change): void {
  const collection = collectionOf(plant, change.collection, change.of);
  if (change.kind === 'add') {
    collection.add(change.record, change.place);
    return;
  }
  const done =
    change.kind === 'update' ? collection.update(change.key, change.change) : collection.remove(change.key);
  if (!done) throw new Error(`${change.collection} has no record ${change.key}`);
}

function collectionOf(plant: Plant, name: CollectionName, of = ''): Collection<PlainRecord> {
  // All records are plain records. Each collection is typed by the members that the plant needs.
  const collections: Record<CollectionName, () => unknown> = {
    persons: () => plant.persons,
    users: () => plant.users,
    orgs: () => plant.orgs,
    objects: () => plant.objects,
    networks: () => plant.networks,
    nodes: () => plant.nodes(of),
    properties: () => plant.ownProperties(of),
  };
  if (!collectionNames.includes(name)) throw new Error(`the plant has no collection ${name}`);
  return collections[name]() as Collection<PlainRecord>;
}

const collectionBehind: Partial<Record<OperationId, CollectionName>> = {
  listPersons: 'persons',
  listOrgPersons: 'persons',
  listUsers: 'users',
  listOrgs: 'orgs',
  listOrgNodes: 'nodes',
  listObjects: 'objects',
  listObjectProperties: 'properties',
  listNetworks: 'networks',
};

/** Moves the records of a list by one place: adds a copy of the first before it, or removes the first. */
export function drift(
  { plant }: World,
  operation: OperationId,
  { kind, path }: { kind: 'insert' | 'remove'; path: Readonly<Record<string, string>> },
): void {
  const name = collectionBehind[operation];
  if (!name) throw new Error(`the list of ${operation} cannot drift`);
  const collection = collectionOf(plant, name, path.orgName ?? path.objName);
  const list = collection.list();
  if (list.length === 0) return;
  const first = list.at(0);
  const keyMember = name === 'users' ? 'username' : 'name';
  const key = String(first[keyMember]);
  if (kind === 'remove') collection.remove(key);
  else {
    let number = list.length;
    while (collection.get(`inserted ${number}`)) number += 1;
    collection.add({ ...first, [keyMember]: `inserted ${number}` }, 'first');
  }
}

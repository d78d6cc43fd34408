import { omit, type PlainRecord } from '../values.ts';
import { Collection, type List } from './collection.ts';
import type { ObjectRecord } from './create-objects.ts';
import type { PropertyRecord } from './create-properties.ts';
import { descriptionOf, type PlantSeed } from './plant-names.ts';
import type { PlantSize } from './size.ts';

/**
 * A production architecture as the plant keeps it: NetworkBaseInfo, and the tree that a change may have given
 * it.
 */
export interface NetworkRecord extends PlainRecord {
  readonly name: string;
  readonly tree?: readonly Branch[];
}

/** An object in the tree of a network, with the objects below it. */
export interface Branch {
  readonly object: string;
  readonly children?: readonly Branch[];
}

/** The parts of the plant from which a network shows its children. */
export interface NetworkSource {
  readonly objects: List<ObjectRecord>;
  readonly networkCount: number;
  find(object: string): ObjectRecord | undefined;
  properties(object: string): List<PropertyRecord>;
}

const CHILDREN_PER_OBJECT = 4;
const MAX_OBJECTS_PER_NETWORK = 200;

function networkAlias(index: number): string {
  return index % 3 === 1 ? `工厂/架构 ${index}` : `network_${index}`;
}

/** Creates the networks of a plant. */
export function createNetworks(plant: PlantSeed, size: PlantSize): Collection<NetworkRecord> {
  const at = (index: number): NetworkRecord => ({
    description: descriptionOf(plant, index),
    name: networkAlias(index),
    showName: `生产架构 ${index}`,
  });
  const indexOf = (name: string) => {
    const index = Number(/\d+$/.exec(name)?.[0] ?? -1);
    return index >= 0 && index < size.networks && networkAlias(index) === name ? index : -1;
  };
  return new Collection({ count: size.networks, at, indexOf }, (network) => network.name);
}

/** Returns a network as the list shows it. */
export function networkBase(network: NetworkRecord): PlainRecord {
  return omit(network, ['tree']);
}

/**
 * Returns the objects of a network. They are the tree that a change gave it, else its share of the plant's
 * objects (at most 200), with four children each. Without `recursive` only the uppermost ones are shown,
 * without children. With templates, an object of another template is shown only if an object below it is
 * shown.
 */
export function networkChildren(
  source: NetworkSource,
  network: NetworkRecord,
  form: { recursive: boolean; templates: readonly string[] },
): PlainRecord[] {
  const show = ({ object: name, children: below = [] }: Branch): PlainRecord[] => {
    const object = source.find(name);
    if (!object) return [];
    const children = form.recursive ? below.flatMap(show) : [];
    const wanted = form.templates.length === 0 || form.templates.includes(object.templateName ?? '');
    if (!wanted && children.length === 0) return [];
    return [{ ...networkObject(source, object), ...(form.recursive ? { children } : {}) }];
  };
  return (network.tree ?? shareOf(source, network.name)).flatMap(show);
}

/** Returns the computed tree of a network. */
function shareOf({ objects, networkCount }: NetworkSource, network: string): Branch[] {
  const index = Number(/\d+$/.exec(network)?.[0] ?? 0);
  const share = Math.min(Math.ceil(objects.length / Math.max(1, networkCount)), MAX_OBJECTS_PER_NETWORK);
  const first = index * share;
  const count = Math.max(0, Math.min(share, objects.length - first));
  const branch = (place: number): Branch[] =>
    place < count
      ? [{ object: objects.at(first + place).name, children: childPlaces(place).flatMap(branch) }]
      : [];
  return rootPlaces.flatMap(branch);
}

const rootPlaces = Array.from({ length: CHILDREN_PER_OBJECT }, (_, place) => place);

function childPlaces(place: number): number[] {
  return rootPlaces.map((root) => (place + 1) * CHILDREN_PER_OBJECT + root);
}

function networkObject(source: NetworkSource, object: ObjectRecord): PlainRecord {
  const properties = source.properties(object.name);
  const shown: object[] = [];
  for (let place = 0; place < properties.length; place += 1) {
    const { name, defaultValue } = properties.at(place);
    shown.push({ defaultValue, name });
  }
  return {
    description: object.description,
    name: object.name,
    properties: shown,
    showName: object.showName,
    templateName: object.templateName ?? '',
  };
}

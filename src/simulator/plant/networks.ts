import type { PlainRecord } from '../values.ts';
import { Collection, type List } from './collection.ts';
import { descriptionOf, type PlantSeed } from './names.ts';
import type { ObjectRecord } from './objects.ts';
import type { PropertyRecord } from './properties.ts';
import type { PlantSize } from './size.ts';

/** A production architecture as the plant keeps it: NetworkBaseInfo. */
export interface NetworkRecord extends PlainRecord {
  readonly name: string;
}

/** What a network needs of the plant to show its children. */
export interface NetworkSource {
  readonly objects: List<ObjectRecord>;
  readonly networkCount: number;
  properties(object: string): List<PropertyRecord>;
}

const childrenPerObject = 4;
const maxObjectsPerNetwork = 200;

function networkAlias(index: number): string {
  return index % 3 === 1 ? `工厂/架构 ${index}` : `network_${index}`;
}

/** The networks of a plant. */
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

/**
 * The objects of a network: its share of the plant's objects (at most 200), as a tree of four children each. Without
 * `recursive` only the uppermost ones, without children. With templates, objects of other templates are left out
 * unless one below them is of those.
 */
export function networkChildren(
  source: NetworkSource,
  network: string,
  form: { recursive: boolean; templates: readonly string[] },
): PlainRecord[] {
  const index = Number(/\d+$/.exec(network)?.[0] ?? 0);
  const share = Math.min(
    Math.ceil(source.objects.length / Math.max(1, source.networkCount)),
    maxObjectsPerNetwork,
  );
  const members: ObjectRecord[] = [];
  for (let place = index * share; place < Math.min((index + 1) * share, source.objects.length); place += 1)
    members.push(source.objects.at(place));

  const show = (place: number): PlainRecord[] => {
    const object = members[place];
    if (!object) return [];
    const children = form.recursive ? childPlaces(place).flatMap(show) : [];
    const wanted = form.templates.length === 0 || form.templates.includes(object.templateName ?? '');
    if (!wanted && children.length === 0) return [];
    return [{ ...networkObject(source, object), ...(form.recursive ? { children } : {}) }];
  };
  return rootPlaces.flatMap(show);
}

const rootPlaces = Array.from({ length: childrenPerObject }, (_, place) => place);

function childPlaces(place: number): number[] {
  return rootPlaces.map((root) => (place + 1) * childrenPerObject + root);
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

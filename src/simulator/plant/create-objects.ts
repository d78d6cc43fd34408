import { mix, pick } from '../random.ts';
import { omit, type PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { indexBy } from './create-persons.ts';
import { featuresOf, malformMetadata, metadataMembers, metadataOf } from './metadata.ts';
import { aliasOf, createTimeOf, descriptionOf, type PlantSeed, roughen, showNameOf } from './plant-names.ts';
import type { PlantSize } from './size.ts';

/** An object as the plant keeps it: GetObjectBaseInfo with the members that only its detail shows. */
export interface ObjectRecord extends PlainRecord {
  readonly name: string;
  readonly templateName?: string;
  readonly features?: readonly string[];
  /** False for an object that exists but is in no list. */
  readonly listed?: boolean;
}

const templates = [
  { name: 'Pump', showName: '水泵' },
  { name: 'Motor', showName: 'Motor' },
  { name: 'Boiler', showName: '锅炉' },
  { name: 'Meter', showName: 'Energy meter' },
  { name: 'Tank', showName: '储罐' },
  { name: 'Conveyor', showName: 'Förderband' },
] as const;

/** Objects of these templates are listed only if their template is asked for. */
const hiddenTemplates = ['AlarmObject', 'SubscriptionObject'] as const;

/** Returns true if the list without a template shows the object. */
export function isOrdinary(object: ObjectRecord): boolean {
  return object.listed !== false && !hiddenTemplates.some((template) => template === object.templateName);
}

/** Creates the objects of a plant: the ordinary ones, then one of each hidden template. */
export function createObjects(plant: PlantSeed, size: PlantSize): Collection<ObjectRecord> {
  const seeded = { ...plant, seed: mix(plant.seed, 41) };
  const templateAt = (index: number) =>
    index < size.objects
      ? pick(templates, mix(seeded.seed, index)).name
      : hiddenTemplates[index - size.objects];
  const aliasAt = (index: number) => aliasOf(seeded, templateAt(index) ?? '', index);
  const at = (index: number): ObjectRecord => {
    const hash = mix(mix(seeded.seed, 1), index);
    const template = templates.find((one) => one.name === templateAt(index));
    const record: ObjectRecord = {
      code: `${hash % 100_000}`,
      createTime: createTimeOf(plant, hash),
      createUsername: 'admin0',
      description: descriptionOf(plant, hash),
      explain: hash % 6 === 0 ? 'Erklärung: läuft\n24/7' : '',
      icon: hash % 4 === 0 ? `icon-${hash % 9}` : '',
      modelLabels: labelsOf(plant, hash),
      name: aliasAt(index),
      range: hash % 3 === 0 ? 'public' : 'private',
      showName: showNameOf(plant, hash, `${template?.showName ?? 'System object'} ${index + 1}`),
      status: hash % 5 !== 0,
      valueStream: hash % 7 === 0 ? `stream/${hash % 9}` : '',
      templateName: templateAt(index) ?? '',
      features: featuresOf(hash),
    };
    return roughen(plant, hash, { record, members: optional });
  };
  const count = size.objects + (size.objects > 0 ? hiddenTemplates.length : 0);
  return new Collection({ count, at, indexOf: indexBy(count, aliasAt) }, (object) => object.name);
}

/** Members that an awkward plant leaves out or fills with values of other types. */
const optional = ['code', 'createUsername', 'description', 'explain', 'icon', 'range', 'status'] as const;

function labelsOf({ awkward }: PlantSeed, hash: number): string[] {
  const labels = ['hot', 'north,side', 'a"b', '{x}', '关键'].filter(
    (_, place) => mix(hash, 50 + place) % 4 === 0,
  );
  return awkward && hash % 5 === 2 ? [...labels, '', ' hot ', ...labels] : labels;
}

/** Members that the list does not show. */
const ownMembers = ['templateName', 'listed', ...metadataMembers];

/** Returns an object as the list shows it (GetObjectBaseInfo). */
export function objectBase(object: ObjectRecord): PlainRecord {
  return omit(object, ownMembers);
}

/** Returns an object as its detail operation shows it (GetObjectDetailInfo). */
export function objectDetail(
  plant: PlantSeed,
  object: ObjectRecord,
  properties: readonly PlainRecord[],
): PlainRecord {
  const metadata = metadataOf(plant, object);
  return {
    ...objectBase(object),
    ...(plant.malformed ? malformMetadata(metadata) : metadata),
    properties,
    templateName: object.templateName ?? '',
  };
}

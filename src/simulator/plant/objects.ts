import { mix, pick } from '../random.ts';
import { omit, type PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { aliasOf, createTimeOf, descriptionOf, type PlantSeed } from './names.ts';
import { indexBy } from './persons.ts';
import type { PlantSize } from './size.ts';

/** An object as the plant keeps it: GetObjectBaseInfo with what only its detail shows. */
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

/** Whether the list without a template shows the object. */
export function isOrdinary(object: ObjectRecord): boolean {
  return object.listed !== false && !hiddenTemplates.some((template) => template === object.templateName);
}

/** The objects of a plant: the ordinary ones, then one of each hidden template. */
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
    return {
      code: `${hash % 100_000}`,
      createTime: createTimeOf(plant, hash),
      createUsername: 'admin0',
      description: descriptionOf(plant, hash),
      explain: '',
      icon: hash % 4 === 0 ? `icon-${hash % 9}` : '',
      modelLabels: labelsOf(hash),
      name: aliasAt(index),
      range: hash % 3 === 0 ? 'public' : 'private',
      showName: showNameOf(template?.showName ?? 'System object', hash, index),
      status: hash % 5 !== 0,
      valueStream: '',
      templateName: templateAt(index) ?? '',
      features: hash % 3 === 0 ? ['maintainable'] : [],
    };
  };
  const count = size.objects + (size.objects > 0 ? hiddenTemplates.length : 0);
  return new Collection({ count, at, indexOf: indexBy(count, aliasAt) }, (object) => object.name);
}

function labelsOf(hash: number): string[] {
  const labels = ['hot', 'north,side', 'a"b', '{x}', '关键'];
  return labels.filter((_, place) => mix(hash, 50 + place) % 4 === 0);
}

function showNameOf(kind: string, hash: number, index: number): string {
  if (hash % 19 === 0) return '';
  return hash % 97 === 0 ? `${kind} `.repeat(400) : `${kind} ${index + 1}`;
}

const ownMembers = ['templateName', 'features', 'listed'];

/** An object as the list shows it (GetObjectBaseInfo). */
export function objectBase(object: ObjectRecord): PlainRecord {
  return omit(object, ownMembers);
}

/** An object as its detail operation shows it (GetObjectDetailInfo). */
export function objectDetail(object: ObjectRecord, properties: readonly PlainRecord[]): PlainRecord {
  return {
    ...objectBase(object),
    events: [
      { dataStruct: 'AlarmData', description: '', modelLabels: [], name: 'overheated', override: false },
    ],
    features: object.features ?? [],
    properties,
    services: [resetService],
    subscriptions: [
      {
        description: '',
        enabled: true,
        event: 'overheated',
        name: 'notify',
        script: 'me.reset();',
        source: object.name,
      },
    ],
    templateName: object.templateName ?? '',
  };
}

const resetService = {
  description: '复位',
  inputs: [
    {
      defaultValue: { value: 0 },
      description: '',
      hasDefault: true,
      name: 'delay',
      primitiveType: 'Integer',
      primitiveTypeDefinition: {
        description: '',
        hasDefault: true,
        name: 'Integer',
        property: { aspect: { max: 100, min: 0 } },
      },
      reqired: false,
      structType: 0,
    },
  ],
  modelLabels: [],
  name: 'reset',
  output: { description: '', name: 'result', primitiveType: 'Boolean', structType: 0 },
  override: false,
  script: 'me.count = 0;\nreturn true;',
};

import { mix, mixText, pick } from '../random.ts';
import { isRecord, type PlainRecord } from '../values.ts';
import { descriptionOf, type PlantSeed } from './plant-names.ts';

/**
 * The members that only the detail of an object shows (GetObjectDetailInfo). A change of the object may give
 * them.
 */
export const metadataMembers = ['events', 'features', 'services', 'subscriptions'] as const;

/**
 * Returns events, features, services and subscriptions of an object. They are computed from its name unless
 * the object has its own.
 */
export function metadataOf(plant: PlantSeed, object: PlainRecord): PlainRecord {
  const hash = mix(mixText(plant.seed, String(object.name)), 90);
  return {
    events: object.events ?? eventsOf(plant, hash),
    features: object.features ?? [],
    services: object.services ?? servicesOf(plant, hash),
    subscriptions: object.subscriptions ?? subscriptionsOf(hash, String(object.name)),
  };
}

/** Returns the features of an object, by which a request can filter the list. */
export function featuresOf(hash: number): string[] {
  return ['maintainable', '可追溯', 'safety/"class" 2'].filter((_, place) => mix(hash, 91 + place) % 3 === 0);
}

function eventsOf(plant: PlantSeed, hash: number): PlainRecord[] {
  const events: PlainRecord[] = [
    { dataStruct: 'AlarmData', description: '', modelLabels: [], name: 'overheated', override: false },
  ];
  if (hash % 3 === 1)
    events.push({
      dataStruct: '批次数据',
      description: descriptionOf(plant, mix(hash, 1)),
      modelLabels: ['batch', 'a"b', 'batch'],
      name: '批次 "end"\n2',
      override: true,
    });
  if (plant.awkward && hash % 4 === 2) events.push({ name: 'bare', dataStruct: 7, override: 'yes' });
  return hash % 5 === 4 ? [] : events;
}

function servicesOf(plant: PlantSeed, hash: number): PlainRecord[] {
  const services: PlainRecord[] = [resetService];
  if (hash % 2 === 1)
    services.push({
      description: descriptionOf(plant, mix(hash, 2)),
      inputs: inputsOf(plant, hash),
      modelLabels: hash % 3 === 0 ? ['remote', '{x}'] : [],
      name: 'setRecipe 配方',
      output: outputOf(hash),
      override: true,
      script: scriptOf(plant, hash),
    });
  if (hash % 7 === 3) services.push({ name: 'ping' });
  return hash % 6 === 5 ? [] : services;
}

/** Returns zero to five inputs of all types and forms. */
function inputsOf({ awkward }: PlantSeed, hash: number): PlainRecord[] {
  const inputs: PlainRecord[] = [
    { name: 'recipe', primitiveType: 'String', reqired: true, structType: 0, description: '配方' },
    {
      defaultValue: { value: [1, 2] },
      hasDefault: true,
      name: 'steps',
      primitiveType: 'Integer',
      structType: 1,
    },
    {
      defaultValue: {},
      description: 'two\nlines and a \\',
      hasDefault: false,
      name: 'limit "max"',
      primitiveType: 'Double',
      primitiveTypeDefinition: { name: 'Double', property: { aspect: { max: 1.5, min: -0.5, unit: '°C' } } },
      reqired: false,
      structType: 0,
    },
    { defaultValue: { value: '[1,2]' }, hasDefault: true, name: 'text', primitiveType: 'String' },
    {
      defaultValue: { value: null },
      name: 'nothing',
      ...(awkward ? { hasDefault: 'yes', structType: '1' } : {}),
    },
  ];
  return inputs.slice(0, mix(hash, 3) % 6);
}

function outputOf(hash: number): PlainRecord | undefined {
  if (mix(hash, 4) % 3 === 0) return undefined;
  return { description: 'rows', name: 'rows', primitiveType: 'Object', structType: 1 };
}

/**
 * Returns a script: short, or of 20 kB. Awkward plants also have scripts with characters that no database
 * holds.
 */
function scriptOf({ awkward }: PlantSeed, hash: number): string {
  const dice = mix(hash, 5);
  if (dice % 5 === 0) return `// 长脚本\n${'me.log("a\\tb", \'c\');\r\n'.repeat(1000)}`;
  if (awkward && dice % 3 === 1) return 'me.key = "\u0000";\nreturn "\ud83d";';
  return 'var t = me["温度"];\nif (t > 5 && "a" != \'b\') {\n\treturn `t: ` + t; // 100 %\n}';
}

function subscriptionsOf(hash: number, object: string): PlainRecord[] {
  const subscriptions: PlainRecord[] = [
    {
      description: '',
      enabled: true,
      event: 'overheated',
      name: 'notify',
      script: 'me.reset();',
      source: object,
    },
  ];
  if (hash % 3 === 2)
    subscriptions.push({
      enabled: false,
      event: '批次 "end"\n2',
      name: 'on/batch',
      source: pick(['no such object', object], mix(hash, 6)),
    });
  return hash % 4 === 3 ? [] : subscriptions;
}

/** Adds entries that no contract allows to the lists of a detail. */
export function malformMetadata(metadata: PlainRecord): PlainRecord {
  return Object.fromEntries(
    Object.entries(metadata).map(([member, entries]) => {
      if (!Array.isArray(entries)) return [member, entries];
      const [first] = entries;
      if (!isRecord(first)) return [member, member === 'features' ? [...entries, null] : entries];
      return [member, [{ ...first, description: 'an older one' }, ...entries, { ...first, name: null }, 5]];
    }),
  );
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

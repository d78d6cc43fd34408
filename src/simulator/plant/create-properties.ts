import { mix, mixText, pick, unit } from '../random.ts';
import { type Blueprint, blueprints } from '../signals/blueprints.ts';
import type { PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { descriptionOf, type PlantSeed, roughen, showNameOf } from './plant-names.ts';

/** A property of an object as the plant keeps and shows it: Property. */
export interface PropertyRecord extends PlainRecord {
  readonly name: string;
  readonly primitiveType: string;
}

/**
 * Returns the kind of an object's property. If an object has more properties than there are kinds, kinds
 * repeat with a number behind their name.
 */
export function blueprintAt(
  plant: PlantSeed,
  object: string,
  index: number,
): { name: string; blueprint: Blueprint } {
  const start = mixText(plant.seed, object) % 3;
  const blueprint = blueprints[(start + index) % blueprints.length] ?? blueprints[0];
  const round = Math.floor(index / blueprints.length);
  return { name: round === 0 ? blueprint.name : `${blueprint.name}_${round + 1}`, blueprint };
}

/** Creates the properties of one object. Each is computed when it is first looked at. */
export function createProperties(
  plant: PlantSeed,
  object: string,
  count: number,
): Collection<PropertyRecord> {
  const made: PropertyRecord[] = [];
  const at = (index: number) => {
    made[index] ??= propertyOf(plant, object, index);
    return made[index];
  };
  const indexOf = (name: string) => {
    for (let index = 0; index < count; index += 1)
      if (blueprintAt(plant, object, index).name === name) return index;
    return -1;
  };
  return new Collection({ count, at, indexOf }, (property) => property.name);
}

function propertyOf(plant: PlantSeed, object: string, index: number): PropertyRecord {
  const { name, blueprint } = blueprintAt(plant, object, index);
  const hash = mix(mixText(plant.seed, object), index);
  const dice = unit(mix(hash, 1));
  const kept = blueprint.kept !== false;
  const record: PropertyRecord = {
    ...(hash % 3 === 0 ? { bindingInfo: { source: `gateway/${object}/${name}`, target: name } } : {}),
    code: '',
    ...(blueprint.primitiveType === 'Object' ? { commonTypeValues: recipeType } : {}),
    defaultValue: defaultOf(blueprint.primitiveType, hash),
    description: descriptionOf(plant, hash),
    // Most properties are logged and persisted. A value is kept if its property is one of the two.
    logged: kept && dice < 0.9,
    modelLabels: labelsOf(plant, blueprint, hash),
    name,
    override: false,
    persisted: kept && (dice < 0.8 || dice >= 0.9),
    primitiveType: blueprint.primitiveType,
    range: blueprint.unit === '%' ? '[0,100]' : '',
    readonly: hash % 2 === 0,
    showName: plant.awkward ? showNameOf(plant, hash, blueprint.showName) : blueprint.showName,
    structType: hash % 16 === 5 ? 1 : 0,
  };
  return roughen(plant, hash, { record, members: optional });
}

/**
 * Members that an awkward plant leaves out or fills with other values. Members that decide on history are not
 * here.
 */
const optional = [
  'bindingInfo',
  'code',
  'description',
  'override',
  'range',
  'readonly',
  'structType',
] as const;

function labelsOf({ awkward }: PlantSeed, { unit: ofUnit }: Blueprint, hash: number): string[] {
  const labels = ofUnit ? ['measured', ofUnit] : [];
  return awkward && hash % 5 === 1 ? ['', ...labels, 'measured'] : labels;
}

/**
 * Returns the default of a property. Half of the properties have one, of the property's type or of another.
 */
function defaultOf(primitiveType: string, hash: number): object {
  if (hash % 2 === 1) return {};
  if (primitiveType === 'Double') return { value: hash % 4 === 0 ? 0 : -12.5 };
  return { value: pick(defaults, mix(hash, 2)) };
}

const defaults = ['', '[1,2]', [1, 2], true, false, null, 7, 'a "b"\n\\', { a: { b: [] } }, 'null'] as const;

const recipeType = {
  fields: [
    { description: '', name: 'step/~1', primitiveType: 'Integer', structType: 0 },
    {
      commonTypeValues: {
        fields: [
          { description: 'Größe', name: '温度', primitiveType: 'Double', structType: 0 },
          { name: 'step/~1', primitiveType: 'String', structType: 1 },
        ],
      },
      description: 'of each\nstep',
      name: 'limits',
      primitiveType: 'Object',
      structType: 1,
    },
  ],
};

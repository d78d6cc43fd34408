import { mix, mixText, unit } from '../random.ts';
import { type Blueprint, blueprints } from '../signals/blueprints.ts';
import type { PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { descriptionOf, type PlantSeed } from './names.ts';

/** A property of an object as the plant keeps and shows it: Property. */
export interface PropertyRecord extends PlainRecord {
  readonly name: string;
  readonly primitiveType: string;
}

/** The kind of an object's property; objects with more properties than there are kinds repeat them with a number. */
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

/** The properties of one object, computed anew at each call unless somebody changes them. */
export function createProperties(
  plant: PlantSeed,
  object: string,
  count: number,
): Collection<PropertyRecord> {
  const at = (index: number) => propertyOf(plant, object, index);
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
  return {
    ...(hash % 3 === 0 ? { bindingInfo: { source: `gateway/${object}/${name}`, target: name } } : {}),
    code: '',
    defaultValue: blueprint.primitiveType === 'Double' && hash % 2 === 0 ? { value: 0 } : {},
    description: descriptionOf(plant, hash),
    // Most are both; a value is kept if it is one of them.
    logged: kept && dice < 0.9,
    modelLabels: blueprint.unit ? ['measured', blueprint.unit] : [],
    name,
    override: false,
    persisted: kept && (dice < 0.8 || dice >= 0.9),
    primitiveType: blueprint.primitiveType,
    range: '',
    readonly: hash % 2 === 0,
    showName: blueprint.showName,
    structType: 0,
  };
}

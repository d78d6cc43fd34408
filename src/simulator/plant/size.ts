/** The size of the plant. */
export interface PlantSize {
  readonly persons: number;
  readonly users: number;
  readonly orgs: number;
  readonly nodesPerOrg: number;
  /** Objects that the list shows without a template. Hidden objects come on top. */
  readonly objects: number;
  readonly propertiesPerObject: number;
  readonly networks: number;
  /** Places that raise alarms by themselves. */
  readonly alarmSources: number;
}

export const plantSizes = {
  tiny: size([5, 4, 1, 4, 4, 3, 1, 3]),
  small: size([40, 30, 2, 12, 60, 8, 2, 40]),
  medium: size([1000, 800, 3, 60, 2000, 10, 5, 200]),
  large: size([20_000, 15_000, 5, 1000, 100_000, 20, 20, 300]),
} as const satisfies Record<string, PlantSize>;

export type PlantSizeName = keyof typeof plantSizes;

function size(numbers: readonly [number, number, number, number, number, number, number, number]): PlantSize {
  const [persons, users, orgs, nodesPerOrg, objects, propertiesPerObject, networks, alarmSources] = numbers;
  return { persons, users, orgs, nodesPerOrg, objects, propertiesPerObject, networks, alarmSources };
}

/** Returns a size by its name, or the small size with changes. */
export function plantSize(given: PlantSizeName | Partial<PlantSize> = 'small'): PlantSize {
  return typeof given === 'string' ? plantSizes[given] : { ...plantSizes.small, ...given };
}

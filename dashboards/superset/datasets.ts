import { alarmDatasets } from './alarm-datasets.ts';
import type { Dataset } from './dataset.ts';
import { overviewDatasets } from './overview-datasets.ts';

/** All datasets of the bundle. */
export const datasets: readonly Dataset[] = [...overviewDatasets, ...alarmDatasets];

/** Returns the dataset of a name. Throws an error if there is none. */
export function datasetOf(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name);
  if (found === undefined) throw new Error(`no dataset is called ${name}: add it to the datasets`);
  return found;
}

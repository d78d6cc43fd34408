import { basename, extname } from 'node:path';
import type { Plant } from '../plant/plant.ts';
import { columnSignal } from './column-signal.ts';
import { ReplayError } from './csv-rows.ts';
import { type ReplayFile, readTable, type Table, type TableColumn } from './read-table.ts';

export type ReplayedColumn = Omit<TableColumn, 'cells'> & { readonly points: number };

/** The content of a file that was read. */
export interface Replayed {
  readonly path: string;
  readonly object: string;
  readonly properties: readonly string[];
  /** The column of each series, in the order of `properties`. */
  readonly columns: readonly ReplayedColumn[];
  readonly rows: number;
  /** The cells of a row of units, which is left out. */
  readonly units?: readonly string[];
  /** The time of the first row, in epoch milliseconds. */
  readonly firstMs: number;

  /** The time of the last row, in epoch milliseconds. */
  readonly lastMs: number;
}

/**
 * Reads CSV files and adds each to a plant, as an object with a property per column. A column of numbers is a
 * Double or a Long, and any other column a String. An empty cell is no point. Throws a `ReplayError` if a
 * file cannot be replayed, or if its object exists already.
 */
export async function replayFiles(plant: Plant, files: readonly ReplayFile[]): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for (const file of files) {
    const object = file.object ?? basename(file.path, extname(file.path));
    if (plant.objects.get(object))
      throw new ReplayError(
        file.path,
        undefined,
        `there is an object ${object} already; name another (--replay NAME=FILE)`,
      );
    const table = await readTable(file);
    addTable(plant, object, table);
    const { rows, units, firstMs, lastMs, columns } = table;
    const properties = columns.map(({ name }) => name);
    const told = columns.map(({ cells, ...column }) => ({ ...column, points: cells.times.length }));
    const range = { rows, firstMs, lastMs, ...(units && { units }) };
    replayed.push({ path: file.path, object, properties, columns: told, ...range });
  }
  return replayed;
}

function addTable(plant: Plant, object: string, { columns }: Table): void {
  plant.addObject({
    name: object,
    description: 'replayed from a file',
    properties: columns.map(({ name, primitiveType, cells }) => ({
      name,
      primitiveType,
      points: columnSignal(cells),
    })),
  });
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { columnSignal } from '../../../src/simulator/recorded/column-signal.ts';
import type { ReplayFile } from '../../../src/simulator/recorded/read-table.ts';
import { readTable, type Table } from '../../../src/simulator/recorded/read-table.ts';
import type { Value } from '../../../src/simulator/values.ts';

/** Writes a CSV file that is gone when the test ends, and returns its path. */
export async function writeCsv(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plantsync-replay-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Reads a file with this text. */
export async function readText(text: string, options: Omit<ReplayFile, 'path'> = {}): Promise<Table> {
  return readTable({ path: await writeCsv('given.csv', text), ...options });
}

/** Returns the points of a column, with times in ISO. */
export function pointsOf(table: Table, name: string): [string, Value][] {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new Error(`there is no column ${name}`);
  const all = Number.POSITIVE_INFINITY;
  const { times, values } = columnSignal(column.cells).read(-all, all, all);
  return times.map((time, index) => [new Date(time).toISOString(), values[index] ?? null]);
}

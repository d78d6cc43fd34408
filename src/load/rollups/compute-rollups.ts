import type { PoolClient } from 'pg';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { Covered } from '../../series/covered.ts';
import { NumberRows } from '../../series/number-rows.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../../series/range.ts';
import { column, ROLLUP_COLUMNS } from '../../series/rollup.ts';
import type { Range } from '../../series/types.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import type { Changes } from './changes.ts';
import { joinParts } from './join-parts.ts';
import { findHours, findNextHours } from './look-up.ts';
import { type Place, placesOf } from './places.ts';
import { readPieces } from './read-pieces.ts';
import { readRollups, replaceRollups } from './write-rollups.ts';

export interface RollupComputing {
  readonly tables: RollupTables;
  readonly grid: ZoneGrid;
  /** Reads what is covered of some series, as of now. */
  readCoverage(tx: PoolClient, seriesIds: readonly number[]): Promise<ReadonlyMap<number, readonly Range[]>>;
}

/** What a computation did. */
export interface Computed {
  /** Rollups of hours and of days that were made. */
  readonly rollups: number;
  /** Points that were read. */
  readonly points: number;
}

/** What is to be computed of one series. */
interface Task {
  touched: RangeSet;
  reread: RangeSet;
  readonly covered: Covered;
}

/** What is to be computed, by the number of the series, ascending. */
type Tasks = ReadonlyMap<number, Task>;

/**
 * Computes the hours and days that a change of points or coverage concerns, and replaces their rollups.
 *
 * 1. The next hour with points after a change begins with another carried value, so it is computed too.
 * 2. An hour that has a rollup is computed from its points. Only an hour without one is made from the sums
 *    of appended points, because these are all its points then.
 * 3. Days are made from hours.
 */
export async function computeRollups(
  tx: PoolClient,
  changes: Changes,
  computing: RollupComputing,
): Promise<Computed> {
  const { tables, grid } = computing;
  const tasks = await openTasks(tx, changes, computing);
  await addNextHours(tx, tasks, computing);
  await addComputedHours(tx, tasks, computing);
  const pieces = changes.pieces.filter((row) => {
    const reread = tasks.get(changes.pieces.get(row, column.seriesId))?.reread ?? [];
    const hour = changes.pieces.get(row, column.bucket);
    return !reread.some(({ from, to }) => from <= hour && hour < to);
  });
  const coveredOf = (seriesId: number) => (tasks.get(seriesId) as Task).covered;
  const rereads = placesOfTasks(tasks, ({ reread }) => reread);
  const points = await readPieces(tx, rereads, { tables, grid, pieces, coveredOf });
  const series = mapValues(tasks, ({ covered, touched }) => ({ covered, stretches: touched }));
  const hours = await joinParts(tx, { tables, parts: pieces, isWhole: false, series, bucketAt: grid.hourAt });
  const places = placesOfTasks(tasks, ({ touched }) => touched);
  await replaceRollups(tx, tables.hourly, { places, rollups: hours });
  const made = hours.length;
  return { rollups: made + (await replaceDays(tx, tasks, { ...computing, hours })), points };
}

/** Makes the days of touched hours again, from hours that are right. */
export async function computeDays(
  tx: PoolClient,
  changes: Changes,
  computing: RollupComputing,
): Promise<Computed> {
  const tasks = await openTasks(tx, changes, computing);
  return { rollups: await replaceDays(tx, tasks, { ...computing, hours: undefined }), points: 0 };
}

/** Adds to each change what is covered of its series. */
async function openTasks(
  tx: PoolClient,
  changes: Changes,
  { readCoverage }: RollupComputing,
): Promise<Tasks> {
  const ascending = [...changes.series].sort((a, b) => a.seriesId - b.seriesId);
  const ids = ascending.map(({ seriesId }) => seriesId);
  const coverage = await readCoverage(tx, ids);
  return new Map(
    ascending.map(({ seriesId, touched, reread }) => [
      seriesId,
      { touched, reread, covered: new Covered(coverage.get(seriesId) ?? []) },
    ]),
  );
}

function placesOfTasks(tasks: Tasks, rangesOf: (task: Task) => RangeSet): Place[] {
  return [...tasks].flatMap(([seriesId, task]) => placesOf(seriesId, rangesOf(task)));
}

function mapValues<K, V, W>(map: ReadonlyMap<K, V>, change: (value: V) => W): Map<K, W> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}

async function addNextHours(tx: PoolClient, tasks: Tasks, { tables, grid }: RollupComputing): Promise<void> {
  const places = placesOfTasks(tasks, ({ touched }) => touched);
  for (const { seriesId, bucket } of await findNextHours(tx, tables, places)) {
    const task = tasks.get(seriesId) as Task;
    const hour = [grid.hourAt(bucket)];
    if (intersect(task.touched, hour).length > 0) continue;
    task.touched = unite(task.touched, hour);
    task.reread = unite(task.reread, hour);
  }
}

/** Adds the touched hours that have a rollup to those that are read. */
async function addComputedHours(tx: PoolClient, tasks: Tasks, { tables }: RollupComputing): Promise<void> {
  const places = placesOfTasks(tasks, ({ touched, reread }) => subtract(touched, reread));
  const found = new Map<number, Range[]>();
  for (const { seriesId, from, to } of await findHours(tx, tables, places)) {
    const own = found.get(seriesId);
    if (own === undefined) found.set(seriesId, [{ from, to }]);
    else own.push({ from, to });
  }
  for (const [seriesId, hours] of found) {
    const task = tasks.get(seriesId) as Task;
    task.reread = unite(task.reread, hours);
  }
}

/**
 * Computes the days of all touched hours, and resolves to the number of days with points. `hours` are the
 * touched hours if they were just made, so that only the others are read.
 */
async function replaceDays(
  tx: PoolClient,
  tasks: Tasks,
  { tables, grid, hours: made }: RollupComputing & { readonly hours: NumberRows | undefined },
): Promise<number> {
  const hours = made ?? new NumberRows(ROLLUP_COLUMNS);
  const series = mapValues(tasks, ({ covered, touched }) => ({ covered, stretches: daysOf(touched, grid) }));
  const daysOfAll = [...series];
  const places = daysOfAll.flatMap(([id, { stretches }]) => placesOf(id, stretches));
  const others = daysOfAll.flatMap(([id, { stretches }]) =>
    placesOf(id, made === undefined ? stretches : subtract(stretches, tasks.get(id)?.touched ?? [])),
  );
  await readRollups(tx, tables.hourly, { places: others, rollups: hours });
  const days = await joinParts(tx, { tables, parts: hours, isWhole: true, series, bucketAt: grid.dayAt });
  await replaceRollups(tx, tables.daily, { places, rollups: days });
  return days.length;
}

function daysOf(touched: RangeSet, grid: ZoneGrid): RangeSet {
  return toRangeSet(
    touched.map(({ from, to }) => ({ from: grid.dayAt(from).from, to: grid.dayAt(to - 1).to })),
  );
}

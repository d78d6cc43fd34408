import type { PoolClient } from 'pg';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { intersect, type RangeSet, subtract, toRangeSet, unite } from '../../series/range.ts';
import { Covered, type Piece, type Rollup, rollUp } from '../../series/rollup.ts';
import type { Range } from '../../series/types.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import { findCarried, findHours, findNextHours } from './look-up.ts';
import type { Place } from './places.ts';
import { readPieces } from './read-pieces.ts';
import { type CarriedPoints, keyOfCarried, type PlacedRollup } from './rollup-tables.ts';
import { readHours, replaceRollups } from './write-rollups.ts';

/** What changed of one series. All ranges are whole hours. */
export interface SeriesWork {
  readonly seriesId: number;
  /** Where points or coverage changed. */
  readonly touched: RangeSet;
  /** The part of it whose points have to be read. */
  readonly reread: RangeSet;
  /** Sums of points that were appended, by the begin of their hour. */
  readonly pieces: ReadonlyMap<number, readonly Piece[]>;
}

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

interface Task {
  readonly seriesId: number;
  touched: RangeSet;
  reread: RangeSet;
  readonly pieces: Map<number, Piece[]>;
  readonly covered: Covered;
}

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
  works: readonly SeriesWork[],
  computing: RollupComputing,
): Promise<Computed> {
  const { tables, grid } = computing;
  const tasks = await openTasks(tx, works, computing);
  const byId = new Map(tasks.map((task) => [task.seriesId, task]));
  await addNextHours(tx, tasks, { byId, ...computing });
  await addComputedHours(tx, tasks, { byId, ...computing });
  for (const { reread, pieces } of tasks)
    for (const range of reread)
      for (const hour of pieces.keys()) if (hour >= range.from && hour < range.to) pieces.delete(hour);
  const points = await readPieces(tx, placesOf(tasks, 'reread'), {
    ...{ tables, grid, coveredOf: (id) => byId.get(id)?.covered ?? new Covered([]) },
    take(id, piece) {
      const { pieces } = byId.get(id) as Task;
      const hour = grid.hourAt(piece.firstAt).from;
      const own = pieces.get(hour);
      if (own === undefined) pieces.set(hour, [piece]);
      else own.push(piece);
    },
  });
  const hours = await makeHours(tx, tasks, computing);
  await replaceRollups(tx, tables.hourly, { places: placesOf(tasks, 'touched'), rollups: hours });
  const days = await replaceDays(tx, tasks, { byId, ...computing });
  return { rollups: hours.length + days, points };
}

/** Makes the days of touched hours again, from hours that are right. */
export async function computeDays(
  tx: PoolClient,
  works: readonly SeriesWork[],
  computing: RollupComputing,
): Promise<Computed> {
  const tasks = await openTasks(tx, works, computing);
  const byId = new Map(tasks.map((task) => [task.seriesId, task]));
  return { rollups: await replaceDays(tx, tasks, { byId, ...computing }), points: 0 };
}

/** Adds to each work what is covered of its series. */
async function openTasks(
  tx: PoolClient,
  works: readonly SeriesWork[],
  { readCoverage }: RollupComputing,
): Promise<Task[]> {
  const seriesIds = works.map(({ seriesId }) => seriesId);
  const coverage = await readCoverage(tx, seriesIds);
  return [...works]
    .sort((a, b) => a.seriesId - b.seriesId)
    .map((work) => {
      const pieces = new Map([...work.pieces].map(([hour, own]) => [hour, [...own]]));
      return { ...work, pieces, covered: new Covered(coverage.get(work.seriesId) ?? []) };
    });
}

type Computing = RollupComputing & { readonly byId: ReadonlyMap<number, Task> };

function placesOf(tasks: readonly Task[], part: 'touched' | 'reread'): Place[] {
  return tasks.flatMap(({ seriesId, [part]: set }) => set.map((range) => ({ seriesId, ...range })));
}

async function addNextHours(tx: PoolClient, tasks: readonly Task[], computing: Computing): Promise<void> {
  const { tables, grid, byId } = computing;
  for (const { seriesId, bucket } of await findNextHours(tx, tables, placesOf(tasks, 'touched'))) {
    const task = byId.get(seriesId) as Task;
    const hour = [grid.hourAt(bucket)];
    if (intersect(task.touched, hour).length > 0) continue;
    task.touched = unite(task.touched, hour);
    task.reread = unite(task.reread, hour);
  }
}

/** Adds the touched hours that have a rollup to those that are read. */
async function addComputedHours(
  tx: PoolClient,
  tasks: readonly Task[],
  { tables, byId }: Computing,
): Promise<void> {
  const places = tasks.flatMap(({ seriesId, touched, reread }) =>
    subtract(touched, reread).map((range) => ({ seriesId, ...range })),
  );
  const found = new Map<number, Range[]>();
  for (const { seriesId, from, to } of await findHours(tx, tables, places)) {
    const own = found.get(seriesId) ?? [];
    own.push({ from, to });
    found.set(seriesId, own);
  }
  for (const [seriesId, hours] of found) {
    const task = byId.get(seriesId) as Task;
    task.reread = unite(task.reread, hours);
  }
}

/** Makes the rollups of all hours that have pieces. */
async function makeHours(
  tx: PoolClient,
  tasks: readonly Task[],
  { tables, grid }: RollupComputing,
): Promise<PlacedRollup[]> {
  const places = tasks
    .filter(({ pieces }) => pieces.size > 0)
    .flatMap(({ seriesId, touched }) => touched.map((range) => ({ seriesId, ...range })));
  const carried = await findCarried(tx, tables, places);
  const hours: PlacedRollup[] = [];
  for (const task of tasks) {
    const ascending = [...task.pieces].sort(([a], [b]) => a - b);
    const series = new SeriesRollups(task, task.touched, carried);
    for (const [from, pieces] of ascending) {
      const sorted = pieces.sort((a, b) => a.firstAt - b.firstAt);
      const rollup = series.add(sorted, grid.hourAt(from));
      if (rollup !== undefined) hours.push({ seriesId: task.seriesId, rollup });
    }
  }
  return hours;
}

/** Computes the days of all touched hours, and resolves to the number of days with points. */
async function replaceDays(
  tx: PoolClient,
  tasks: readonly Task[],
  { tables, grid, byId }: Computing,
): Promise<number> {
  const days = new Map(tasks.map((task) => [task.seriesId, daysOf(task.touched, grid)]));
  const places = [...days].flatMap(([seriesId, set]) => set.map((range) => ({ seriesId, ...range })));
  const hours = new Map<number, Map<number, Piece[]>>();
  await readHours(tx, tables.hourly, {
    places,
    take(seriesId, piece) {
      const own = hours.get(seriesId) ?? new Map<number, Piece[]>();
      const day = grid.dayAt(piece.from).from;
      const pieces = own.get(day);
      if (pieces === undefined) own.set(day, [piece]);
      else pieces.push(piece);
      hours.set(seriesId, own);
    },
  });
  const carried = await findCarried(
    tx,
    tables,
    places.filter(({ seriesId }) => hours.has(seriesId)),
  );
  const rollups: PlacedRollup[] = [];
  for (const [seriesId, own] of hours) {
    const series = new SeriesRollups(byId.get(seriesId) as Task, days.get(seriesId) ?? [], carried);
    for (const [day, pieces] of own) {
      const rollup = series.add(pieces, grid.dayAt(day));
      if (rollup !== undefined) rollups.push({ seriesId, rollup });
    }
  }
  await replaceRollups(tx, tables.daily, { places, rollups });
  return rollups.length;
}

function daysOf(touched: RangeSet, grid: ZoneGrid): RangeSet {
  return toRangeSet(
    touched.map(({ from, to }) => ({ from: grid.dayAt(from).from, to: grid.dayAt(to - 1).to })),
  );
}

/** Makes the rollups of one series in the order of time, each with the value that the one before leaves. */
class SeriesRollups {
  readonly #task: Task;
  readonly #stretches: RangeSet;
  readonly #carried: CarriedPoints;
  #stretch: Range | undefined;
  #before: Rollup | undefined;

  /** @param stretches ranges without a point between them that is not known here */
  constructor(task: Task, stretches: RangeSet, carried: CarriedPoints) {
    this.#task = task;
    this.#stretches = stretches;
    this.#carried = carried;
  }

  add(pieces: readonly Piece[], bucket: Range): Rollup | undefined {
    const stretch = this.#stretches.find(({ from, to }) => from <= bucket.from && bucket.from < to);
    if (stretch === undefined) return undefined;
    if (stretch !== this.#stretch) this.#before = undefined;
    this.#stretch = stretch;
    const carried =
      this.#before === undefined
        ? this.#carried.get(keyOfCarried(this.#task.seriesId, stretch.from))
        : { at: this.#before.lastAt, value: this.#before.last };
    this.#before = rollUp(pieces, { bucket, covered: this.#task.covered, carried });
    return this.#before;
  }
}

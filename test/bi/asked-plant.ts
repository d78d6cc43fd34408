import { RollupPortions } from '../../src/load/rollups/rollup-portions.ts';
import { rollupTables } from '../../src/postgres/rollup-tables.ts';
import { defaultSchemas as schemas } from '../../src/postgres/schemas.ts';
import { createZoneGrid } from '../../src/series/zone-grid.ts';
import { type MadePlant, microsOf, type Time } from './made-plant.ts';

/** What the questions take for now: noon of a Tuesday, two days after Berlin put its clock back. */
export const NOW = '2025-10-28 11:00';
export const STORE = 'postgres:plant';
const WEEK = ['2025-10-20 00:00', NOW] as const;
/** Nothing is stored of these three hours of `pump3.temp`. */
const GAP = ['2025-10-25 10:00', '2025-10-25 13:00'] as const;
const MINUTE_US = 60e6;

/** Fills a plant of which the answers to all questions are known. */
export async function fillAskedPlant(plant: MadePlant): Promise<void> {
  await plant.run(DIRECTORY);
  await plant.run(PEOPLE);
  await fillHistory(plant);
  await computeRollups(plant);
  await plant.run(ALARMS);
  await plant.run(LEDGER);
}

/**
 * Asks as if it were `NOW`. A function `now` that comes before that of PostgreSQL stands for the clock, so
 * that the statements stay as the documents show them.
 */
export async function askAtNow(plant: MadePlant, sql: string): Promise<Record<string, unknown>[]> {
  const client = await plant.db.connect();
  try {
    await client.query(`set timezone = 'Europe/Berlin'; set search_path = made_clock, pg_catalog, public`);
    const { rows } = await client.query(`select row_to_json(q) as row from (${sql}) as q`);
    return rows.map(({ row }) => row as Record<string, unknown>);
  } finally {
    await client.query('reset all');
    client.release();
  }
}

const DIRECTORY = `
  create schema made_clock;
  create function made_clock.now() returns timestamptz language sql stable as $$ select '${NOW}Z'::timestamptz $$;
  insert into plant.objects (name, show_name, template_name, first_seen_at) values
    ('line1', 'Line 1', 'Line', '2024-01-01Z'), ('pump3', 'Feed pump 3', 'Pump', '2024-01-01Z'),
    ('pump4', 'Feed pump 4', 'Pump', '2024-01-01Z'), ('meter1', 'Meter 1', 'Meter', '2024-01-01Z'),
    ('tank1', 'Tank 1', 'Tank', '2024-01-01Z');
  insert into plant.networks (name) values ('factory');
  insert into plant.network_nodes (network, path, name, parent, parent_path, depth, first_seen_at) values
    ('factory', 'line1', 'line1', null, null, 1, '2024-01-01Z'),
    ('factory', 'line1/pump3', 'pump3', 'line1', 'line1', 2, '2024-01-01Z'),
    ('factory', 'line1/pump3/tank1', 'tank1', 'pump3', 'line1/pump3', 3, '2024-01-01Z');
  insert into plant.property_notes (object, property, unit, low, high) values
    ('*', 'temp', '°C', null, 60), ('*', 'level', '%', 10, null);
  insert into plant.shifts (name, begins, ends) values
    ('early', '06:00', '14:00'), ('late', '14:00', '22:00'), ('night', '22:00', '06:00');`;

const PEOPLE = `
  insert into plant.org_trees (name, show_name) values ('works', 'Works');
  insert into plant.org_nodes (org, name, parent, show_name, path, depth) values
    ('works', 'production', 'works', 'Production', 'works/production', 1),
    ('works', 'assembly', 'production', 'Assembly', 'works/production/assembly', 2);
  insert into plant.persons (name, show_name, username) values ('P1', 'Li Na', 'lina'), ('P2', 'Wang Wei', null);
  insert into plant.person_organizations (person, position, org, node) values
    ('P1', 1, 'works', 'assembly'), ('P2', 1, 'works', 'production'), ('P2', 2, 'works', 'assembly');`;

/** Points every so many minutes of a range. */
function every(minutes: number, [from, to]: readonly [Time, Time], valueAt: (place: number) => unknown) {
  const points: (readonly [Time, unknown])[] = [];
  for (let at = microsOf(from), place = 0; at < microsOf(to); at += minutes * MINUTE_US, place += 1)
    points.push([new Date(at / 1000).toISOString().slice(0, 16).replace('T', ' '), valueAt(place)]);
  return points;
}

async function fillHistory(plant: MadePlant): Promise<void> {
  // Each hour holds 10, 20, 30, 40, 50 and 60.
  const temp = await plant.series('pump3.temp', 'Double');
  for (const range of [
    [WEEK[0], GAP[0]],
    [GAP[1], NOW],
  ] as const)
    await plant.store(
      temp,
      range,
      every(10, range, (place) => 10 + 10 * (place % 6)),
    );
  const other = await plant.series('pump4.temp', 'Double');
  await plant.store(other, WEEK, [
    ...every(60, ['2025-10-27 09:00', '2025-10-27 12:00'], () => 50),
    // Above 60 for a quarter of an hour.
    ['2025-10-27 12:00', 61],
    ['2025-10-27 12:05', 65],
    ['2025-10-27 12:15', 55],
  ]);
  const state = await plant.series('pump3.state');
  for (const [range, points] of STATES) await plant.store(state, range, points);
  const energy = await plant.series('meter1.energy', 'Double');
  // A kilowatt hour each hour. At noon of the 27th in Berlin the counter begins again.
  const reset = 160;
  await plant.store(
    energy,
    WEEK,
    every(60, ['2025-10-20 19:00', NOW], (k) => (k < reset ? 1000 + k : k - reset)),
  );
  const level = await plant.series('tank1.level', 'Double');
  // 20 for a quarter of the day, then 60.
  await plant.store(level, WEEK, [
    ['2025-10-26 23:00', 20],
    ['2025-10-27 05:00', 60],
  ]);
}

const STATES = [
  [
    ['2025-10-20 00:00', '2025-10-27 06:00'],
    [
      ['2025-10-20 00:00', 'running'],
      ['2025-10-25 22:00', 'fault'],
      ['2025-10-26 02:30', 'idle'],
      ['2025-10-26 05:00', 'running'],
    ],
  ],
  [['2025-10-27 08:00', NOW], [['2025-10-27 08:00', 'running']]],
] as const;

async function computeRollups({ db, ledger }: MadePlant): Promise<void> {
  await db.query(`insert into plantsync.rollup_backlog (series_ids, first_id, last_id, begins, ends)
    select array_agg(series_id), min(series_id), max(series_id), '2025-10-19 22:00Z', '${NOW}Z' from plant.series`);
  const portions = new RollupPortions({
    ...{ db, schemas, grid: createZoneGrid('Europe/Berlin'), tables: rollupTables(schemas) },
    ...{ dueUntil: microsOf(NOW), keptSince: Number.NEGATIVE_INFINITY },
    readCoverage: (tx, seriesIds) => ledger.coverage.read({ store: STORE, stream: 'history', seriesIds }, tx),
  });
  await portions.begin();
  while ((await portions.takeMarks()) !== undefined);
  while ((await portions.takeBacklog()) !== undefined);
}

/** Alarms of priority 2: two in a burst and one alone, of which the last goes on. */
const ALARMS = `
  insert into plant.alarms (object, property, show_name, alarm_type, started_at, priority, value, is_active,
    cleared_before, is_acknowledged, acknowledged_at, twins)
  values
    ('pump3', 'temp', 'Overheated', 'GT', '2025-10-21 08:00Z', 2, '61', false, '2025-10-21 08:10Z', true, '2025-10-21 08:02Z', 1),
    ('pump3', 'temp', 'Overheated', 'GT', '2025-10-21 08:05Z', 2, '61', false, '2025-10-21 08:35Z', false, null, 1),
    ('pump3', 'temp', 'Overheated', 'GT', '2025-10-28 08:00Z', 2, '61', true, null, false, null, 1),
    ('pump4', 'temp', 'Vibrates', 'GT', '2025-10-21 09:00Z', 5, '7', false, null, false, null, 1);`;

const LEDGER = `
  insert into plantsync.changes (table_name, key, at, kind, before) values
    ('objects', '{"name": "pump3"}', '2025-03-01 09:00Z', 'updated',
     '{"name": "pump3", "show_name": "Old pump", "template_name": "Pump", "deleted_at": null}');
  insert into plantsync.late_points (series_id, hour, found_at, points, lag_sec)
    select series_id, '2025-10-27 06:00Z', '2025-10-27 08:00Z', 7, 3600 from plant.series
    where object = 'pump3' and property = 'temp';
  insert into plantsync.drift (stream, table_name, member, kind, count) values ('objects', 'objects', 'color', 'new', 3);
  insert into plantsync.runs (stream, kind, started_at, finished_at, status, host, pid, summary) values
    ('objects', 'scan', '2025-10-28 08:00Z', '2025-10-28 08:01Z', 'done', 'h', 1,
     '{"seconds": 60, "records": 5, "points": {}, "rejects": 1, "requests": 2}'),
    ('objects', 'scan', '2025-10-26 08:00Z', '2025-10-26 08:01Z', 'done', 'h', 1, '{"records": 5, "points": {}}'),
    ('history', 'verify', '2025-10-27 08:00Z', '2025-10-27 08:01Z', 'done', 'h', 1, '{"records": 0, "points": {},
      "differences": [{"store": "${STORE}", "stream": "history", "seriesId": 1, "missing": 2, "extra": 0,
        "different": 1, "isRepaired": true}]}');`;

import { onTestFinished } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { askInflux } from '../support/influx/ask-influx.ts';
import { makeRole } from '../support/postgres-role.ts';
import { runCommand } from '../support/program/run-command.ts';
import { makeSimulatedProject, openSimulator } from '../support/program/simulated-project.ts';

const PASSWORD = 'reader-of-dashboards';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An object whose alias is hard to quote. */
const TANK = `O'Brien "tank" (1/2)`;

/** A plant that has something of everything that a dashboard shows. */
export interface FullPlant {
  /** A range without points of history, which no store has. */
  readonly gap: { readonly fromMs: number; readonly toMs: number };
  /** Postgres as the role sees it that Grafana has. */
  readonly reader: Database;
  /** Asks InfluxDB for the answer to a query in InfluxQL, with times in milliseconds. */
  askInflux(query: string): Promise<InfluxAnswer>;
}

export interface InfluxAnswer {
  readonly results: readonly {
    readonly error?: string;
    readonly series?: readonly {
      readonly tags?: Readonly<Record<string, string>>;
      readonly columns: readonly string[];
      readonly values: readonly (readonly unknown[])[];
    }[];
  }[];
}

/**
 * Loads a simulated plant by real commands, and makes what a plant has only sometimes. These are changes,
 * objects that are gone, gaps, late points, differences, rejects, drift, alarms in all states, and processes.
 */
export async function makeFullPlant(): Promise<FullPlant> {
  const simulator = await openSimulator({
    size: {
      ...{ persons: 4, users: 3, orgs: 1, nodesPerOrg: 3, networks: 1 },
      ...{ objects: 3, propertiesPerObject: 16, alarmSources: 6 },
    },
    malformed: true,
  });
  const project = await makeSimulatedProject(simulator, ({ postgres, influx }) => ({
    postgres,
    influx,
    platform: { timezone: 'Europe/Berlin' },
    runtime: [
      { objects: '*', properties: '*', current: false, history: { start: '26h' } },
      { objects: '*', properties: 'running', current: { every: '1h' }, history: false },
    ],
  }));
  const { db } = project.databases;
  const run = async (...args: string[]) => {
    const { code, output } = await runCommand(project.folder, args);
    // Entries that are malformed make a run partial: that is what the plant is for.
    if (code !== 0 && code !== 3) throw new Error(`plantsync ${args.join(' ')} ends with ${code}: ${output}`);
  };
  const objects = async () =>
    (
      await db.query<{ name: string }>(
        'select object as name from plant.series group by 1 having count(*) > 5 order by 1',
      )
    ).rows.map(({ name }) => name);

  const startMs = Date.now();
  simulator.addObject({
    name: TANK,
    properties: [
      { name: 'temperature', points: everyMinute(startMs) },
      { name: 'silent for long', points: [[startMs - 25 * HOUR_MS, 1]] },
    ],
  });
  // A sync goes on without views. This command says why they cannot be made.
  await run('migrate');
  await run('sync');
  const [first = '', second = '', last = ''] = await objects();
  await db.query(NOTES_AND_SHIFTS);

  simulator.change({ collection: 'objects', kind: 'update', key: second, change: { showName: 'Renamed' } });
  simulator.change({ collection: 'objects', kind: 'remove', key: last });
  const soon = startMs - 30 * MINUTE_MS;
  const alarm = { sourceObjName: first, sourcePropName: 'temperature', showName: 'too hot' };
  simulator.raiseAlarm({ ...alarm, raisedMs: soon });
  simulator.acknowledgeAlarm(simulator.raiseAlarm({ ...alarm, raisedMs: soon + MINUTE_MS }), 'ann');
  const over = simulator.raiseAlarm({ ...alarm, raisedMs: soon + 2 * MINUTE_MS });
  simulator.addPoints(`${TANK}.temperature`, [[soon - 10 * MINUTE_MS + 1, 99]]);
  await run('sync');
  simulator.clearAlarm(over);
  await run('sync', 'objects', 'alarms');
  await run('sync', 'alarms');

  await db.query(
    `delete from plant.samples where at > now() - interval '3 hours' and at < now() - interval '170 minutes'`,
  );
  await run('verify', '--from', '-4h');
  const gap = { fromMs: startMs - 6 * HOUR_MS, toMs: startMs - 4 * HOUR_MS };
  const ends = [new Date(gap.fromMs), new Date(gap.toMs)];
  await db.query(
    `update plantsync.coverage set covered = covered - tstzmultirange(tstzrange($1, $2)) where stream = 'history'`,
    ends,
  );
  await db.query('delete from plant.samples where at >= $1 and at < $2', ends);
  const ledger = createLedger(db, defaultSchemas);
  await ledger.services.begin('worker');

  const role = await makeRole(project.databases, PASSWORD);
  await run('grants', '--reader', role, '--apply');
  return {
    gap,
    reader: openAs(role, project.databases.sections.postgres.url),
    async askInflux(query) {
      const { influx } = project.databases.sections;
      return JSON.parse(await askInflux(influx, '/query', { epoch: 'ms', q: query })) as InfluxAnswer;
    },
  };
}

function everyMinute(nowMs: number): [number, number][] {
  return Array.from({ length: 1_440 }, (_, k) => [nowMs - (k + 1) * MINUTE_MS, 30 + (k % 40)]);
}

/** What people note of the plant. */
const NOTES_AND_SHIFTS = `
  insert into plant.property_notes (object, property, unit, display_name, low, high) values
    ('*', 'temperature', '°C', 'Temperature', 20, 65), ('*', 'level', '%', null, 200, null);
  insert into plant.shifts (name, begins, ends, weekdays) values
    ('early', '06:00', '14:00', '{1,2,3,4,5,6,7}'), ('late', '14:00', '22:00', '{1,2,3,4,5,6,7}'),
    ('night', '22:00', '06:00', '{1,2,3,4,5,6,7}')`;

function openAs(role: string, address: string): Database {
  const url = new URL(address);
  url.username = role;
  url.password = '';
  const db = openPostgres({ url: url.href, password: PASSWORD }, silentLog);
  onTestFinished(() => db.close());
  return db;
}

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { environmentOf, startProgram } from '../bench/program.ts';
import type { TestPostgres } from '../support/servers/postgres.ts';
import { fillShowcase } from './showcase-plant.ts';

const NOTES = `insert into plant.property_notes (object, property, unit, low, high) values
  ('*', 'flow', 'm³/h', 92, null), ('*', 'pressure', 'bar', null, null), ('*', 'temp', '°C', null, 76),
  ('*', 'energy', 'kWh', null, null), ('*', 'power', 'kW', null, null), ('*', 'level', '%', 12, null)
  on conflict do nothing`;
/** The part of history that the platform refuses for one pump, so that a gap stays. */
const GAP = { object: 'pump2', from: '-6d', to: '-5d' };
const refusal = {
  kind: 'status',
  operation: 'readHistory',
  match: GAP.object,
  status: 400,
  code: 800_001,
  message: 'refused',
} as const;

/**
 * Fills a Postgres database with two weeks of a simulated plant, as users do it: by `sync` and `backfill`.
 */
export async function fillPostgres(postgres: TestPostgres): Promise<void> {
  const simulator = await startSimulator({ size: { objects: 0, networks: 0, alarmSources: 0 } });
  try {
    fillShowcase(simulator, Date.now());
    const { baseUrl, appId, secret } = simulator;
    const access = { baseUrl, appId, secret, close: async () => undefined };
    const run = (...words: string[]) => runProgram(words, environmentOf(access, postgres));
    await run('sync', 'objects', 'object_properties');
    await annotate(postgres);
    simulator.setFaults([refusal]);
    await run('backfill', '--from', GAP.from, '--to', GAP.to);
    simulator.setFaults([]);
    await run('backfill', '--from', '-14d', '--to', GAP.from);
    await run('backfill', '--from', GAP.to);
    await run('sync', 'alarms', 'persons', 'org_trees', 'org_nodes');
  } finally {
    await simulator.close();
  }
}

/** Makes a role that may read the data and the views, and nothing else. Returns its password. */
export async function addReader(postgres: TestPostgres, reader: string): Promise<string> {
  const db = openPostgres(postgres.options, silentLog);
  try {
    const password = randomBytes(16).toString('hex');
    await db.query(`drop role if exists ${reader}`);
    await db.query(`create role ${reader} login password '${password}'`);
    const { url, password: own = '' } = postgres.options;
    await runProgram(['grants', '--reader', reader, '--apply'], {
      PLANTSYNC_PLATFORM__BASE_URL: 'http://127.0.0.1:1',
      PLANTSYNC_PLATFORM__APP_ID: 'none',
      PLANTSYNC_PLATFORM__SECRET: 'none',
      PLANTSYNC_POSTGRES__URL: url,
      PLANTSYNC_POSTGRES__PASSWORD: own,
    });
    return password;
  } finally {
    await db.close();
  }
}

async function annotate(postgres: TestPostgres): Promise<void> {
  const db = openPostgres(postgres.options, silentLog);
  try {
    await db.query(NOTES);
  } finally {
    await db.close();
  }
}

/** Runs a command to its end. A gap is expected, so that exit code 3 is fine. */
async function runProgram(words: readonly string[], env: Record<string, string>): Promise<void> {
  const child = startProgram(words, {
    ...env,
    PLANTSYNC_PLATFORM__TIMEZONE: 'Europe/Berlin',
    PLANTSYNC_RUNTIME: '[{"history":{"start":"14d"}}]',
    PLANTSYNC_ALARMS__HISTORY__START: '31d',
  });
  child.stdout?.resume();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0 && code !== 3) throw new Error(`plantsync ${words.join(' ')} ended with exit code ${code}`);
}

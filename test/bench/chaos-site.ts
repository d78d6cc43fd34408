import type { ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import type { Simulator } from '../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { endProcess, makeFolder, type TestServer } from '../support/servers/process.ts';
import { startRedis } from '../support/servers/redis.ts';
import { environmentOf, startPlatform, startProgram } from './program.ts';

/** The servers, and the environment that leads the program to them. */
export interface Site {
  readonly env: Record<string, string>;
  /** An equal plant, which tells the truth about the plant that is read. */
  readonly truth: Simulator;
  readonly db: Database;
  readonly redis: TestServer;
  readonly client: Redis;
  readonly influx: { readonly url: string; readonly version: 1; readonly database: string };
  /** The folder of the logs of all processes. */
  readonly logs: string;
  close(): Promise<void>;
}

/** Equal seeds make equal plants. */
const SEED = 5;
const short = { every: '5s', details: { every: '10s' } };
const lists = ['persons', 'users', 'org_trees', 'org_nodes', 'objects'];
const plain = ['org_persons', 'org_node_persons', 'object_properties', 'networks', 'network_nodes'];

/** Periods so short that every kind of job is always running. */
const load = {
  PLANTSYNC_STREAMS: JSON.stringify({
    ...Object.fromEntries(lists.map((name) => [name, short])),
    ...Object.fromEntries(plain.map((name) => [name, { cron: '*/7 * * * * *' }])),
  }),
  PLANTSYNC_RUNTIME: JSON.stringify([
    {
      current: { every: '1s' },
      history: {
        start: '1h',
        every: '1s',
        settle: '2s',
        lookback: '20s',
        sweep: { every: '20s', range: '1h' },
        verify: { every: '30s', range: '10m' },
      },
    },
  ]),
  PLANTSYNC_ALARMS: JSON.stringify({ current: { every: '1s' }, history: { every: '2s', start: '1h' } }),
  PLANTSYNC_LIMITS__ROWS_PER_READ: '600',
  PLANTSYNC_PLATFORM__REQUESTS_PER_SECOND: '100',
};

export async function openSite(): Promise<Site> {
  const [platform, postgres, influxServer, redis, logs] = await Promise.all([
    startPlatform([
      ...['--size', 'tiny', '--seed', String(SEED)],
      ...['--fault', '{kind: latency, operation: readHistory, delayMs: 50}'],
    ]),
    startPostgres(),
    startInflux(),
    startRedis(),
    makeFolder('chaos'),
  ]);
  const truth = await startSimulator({ size: 'tiny', seed: SEED, control: false });
  const influx = { url: influxServer.url, version: 1 as const, database: 'chaos' };
  const client = new Redis(redis.url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const db = openPostgres({ ...postgres.options, maxConnections: 2 }, silentLog);
  return {
    env: {
      ...environmentOf(platform, postgres),
      ...load,
      PLANTSYNC_REDIS__URL: redis.url,
      PLANTSYNC_INFLUX__URL: influx.url,
      PLANTSYNC_INFLUX__VERSION: '1',
      PLANTSYNC_INFLUX__DATABASE: influx.database,
    },
    ...{ truth, db, redis, client, influx, logs },
    async close() {
      client.disconnect();
      await db.close();
      await Promise.all([truth, platform, postgres, influxServer, redis].map((server) => server.close()));
    },
  };
}

/** A process of the service that is killed and replaced. */
export interface Victim {
  readonly name: string;
  readonly pid: number | undefined;
  /**
   * Kills the process with SIGKILL and starts it again. Resolves to a complaint if the process had ended
   * before, which it must not do.
   */
  replace(): Promise<string | undefined>;
  /** Ends the process as an orchestrator does. Resolves to a complaint if the process does not end well. */
  end(): Promise<string | undefined>;
}

/** Starts a process of the service. Its sessions in Postgres have its name. */
export function startVictim({ env, logs }: Site, name: string, role: string): Victim {
  const url = new URL(env.PLANTSYNC_POSTGRES__URL ?? '');
  url.searchParams.set('application_name', name);
  const log = openSync(join(logs, `${name}.log`), 'a');
  const launch = (): ChildProcess =>
    startProgram(['run', '--role', role], { ...env, PLANTSYNC_POSTGRES__URL: url.href }, log);
  let child = launch();
  process.once('exit', () => child.kill('SIGKILL'));
  const endedAlone = () =>
    child.exitCode === null ? undefined : `${name} ended by itself with code ${child.exitCode}`;
  return {
    name,
    get pid() {
      return child.pid;
    },
    async replace() {
      const complaint = endedAlone();
      await endProcess(child, 'SIGKILL');
      child = launch();
      return complaint;
    },
    async end() {
      const complaint = endedAlone();
      const deadline = sleep(40_000, 'late' as const, { ref: false });
      if ((await Promise.race([endProcess(child, 'SIGTERM'), deadline])) === 'late') {
        await endProcess(child, 'SIGKILL');
        return `${name} did not end within 40 s after SIGTERM`;
      }
      return complaint ?? (child.exitCode === 0 ? undefined : `${name} ended with code ${child.exitCode}`);
    },
  };
}

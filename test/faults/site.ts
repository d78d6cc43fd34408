import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import type { Simulator } from '../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { type FalseClock, openFalseClock } from '../support/false-clock.ts';
import { startInflux, type TestInflux } from '../support/servers/influx.ts';
import { startPostgres, type TestPostgres } from '../support/servers/postgres.ts';
import { endProcess, freePort, makeFolder, type TestServer } from '../support/servers/process.ts';
import { startRedis } from '../support/servers/redis.ts';

export type EngineKind = 'redis' | 'none';

/** A process of the service. */
export interface Part {
  readonly name: string;
  readonly clock: FalseClock;
  readonly console: string;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  start(): void;
}

/** The platform, in a process of its own. */
export interface FaultPlatform {
  signal(signal: NodeJS.Signals): void;
  /** Sets the faults of the platform from now on (see `src/simulator/faults.ts`). */
  setFaults(rules: readonly object[]): Promise<void>;
}

/** The service with all its servers. Every part of the site may fail. */
export interface FaultSite {
  readonly engine: EngineKind;
  readonly parts: readonly Part[];
  readonly platform: FaultPlatform;
  readonly postgres: TestPostgres;
  readonly influx: TestInflux;
  /** The Redis server. Undefined without Redis. */
  readonly redis: { readonly server: TestServer; readonly client: Redis } | undefined;
  readonly db: Database;
  /** An equal plant, which tells the truth about the plant that is read. */
  readonly truth: Simulator;
  readonly logs: string;
  /** Returns the output of `plantsync status`. Returns an empty text if the command fails. */
  status(): Promise<string>;
  close(): Promise<void>;
}

export const influxDatabase = 'faults';

/** Periods so short that a stall of seconds shows. */
const load = {
  PLANTSYNC_STREAMS: JSON.stringify({
    ...Object.fromEntries(
      [
        'persons',
        'users',
        'org_trees',
        'org_nodes',
        'org_persons',
        'org_node_persons',
        'networks',
        'network_nodes',
      ].map((name) => [name, false]),
    ),
    objects: { every: '5s' },
    object_properties: { every: '5s' },
  }),
  PLANTSYNC_RUNTIME: JSON.stringify([
    {
      current: { every: '1s' },
      history: { start: '10m', every: '2s', settle: '2s', lookback: '20s', sweep: false },
    },
  ]),
  PLANTSYNC_ALARMS: JSON.stringify({ current: { every: '2s' }, history: false }),
  PLANTSYNC_PLATFORM__REQUEST_TIMEOUT: '3s',
};

/** Starts a site. `main` is the built program. Equal seeds make equal plants. */
export async function openFaultSite(
  engine: EngineKind,
  { main, seed }: { main: string; seed: number },
): Promise<FaultSite> {
  const [postgres, influx, redisServer, logs] = await Promise.all([
    startPostgres({ ownDisk: true }),
    startInflux({ ownDisk: true }),
    engine === 'redis' ? startRedis() : undefined,
    makeFolder('faults'),
  ]);
  const run = (args: readonly string[], env: Record<string, string>, log: string) => {
    const output = openSync(join(logs, `${log}.log`), 'a');
    return spawn(process.execPath, [main, ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', args[0] === 'run' ? output : 'pipe', output],
    });
  };
  const simulator = run(
    ['simulate', '--port', '0', '--size', 'tiny', '--seed', String(seed), '--json'],
    {},
    'platform',
  );
  const [line] = (await once(simulator.stdout?.setEncoding('utf8') ?? simulator, 'data')) as [string];
  const { baseUrl, appId, secret } = JSON.parse(line) as Record<'baseUrl' | 'appId' | 'secret', string>;
  const env = {
    ...load,
    PLANTSYNC_PLATFORM__BASE_URL: baseUrl,
    PLANTSYNC_PLATFORM__APP_ID: appId,
    PLANTSYNC_PLATFORM__SECRET: secret,
    PLANTSYNC_POSTGRES__URL: postgres.options.url,
    PLANTSYNC_POSTGRES__PASSWORD: postgres.options.password ?? '',
    PLANTSYNC_INFLUX__URL: influx.url,
    PLANTSYNC_INFLUX__VERSION: '1',
    PLANTSYNC_INFLUX__DATABASE: influxDatabase,
    ...(redisServer && { PLANTSYNC_REDIS__URL: redisServer.url }),
  };
  const roles = engine === 'redis' ? ['scheduler', 'scheduler', 'worker', 'worker'] : ['all'];
  const parts = await Promise.all(roles.map((role, k) => openPart(`${role}-${k + 1}`, role, { env, run })));
  const truth = await startSimulator({ size: 'tiny', seed, control: false });
  const client = redisServer && new Redis(redisServer.url, { maxRetriesPerRequest: null });
  client?.on('error', () => undefined);
  const db = openPostgres({ ...postgres.options, maxConnections: 2 }, silentLog);
  return {
    ...{ engine, parts, postgres, influx, db, truth, logs },
    redis: redisServer && client && { server: redisServer, client },
    platform: {
      signal: (signal) => void simulator.kill(signal),
      async setFaults(rules) {
        const body = JSON.stringify(rules);
        const headers = { 'content-type': 'application/json' };
        const reply = await fetch(new URL('/simulator/faults', baseUrl), { method: 'PUT', body, headers });
        if (!reply.ok) throw new Error(`the simulator refuses ${body}: ${await reply.text()}`);
      },
    },
    async status() {
      const child = run(['status'], env, 'status');
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      await once(child, 'close');
      return text;
    },
    async close() {
      simulator.kill('SIGCONT');
      await Promise.all([...parts.map((part) => part.kill()), endProcess(simulator, 'SIGKILL')]);
      for (const part of parts) part.clock.close();
      client?.disconnect();
      await db.close();
      await Promise.all(
        [truth, postgres, influx, ...(redisServer ? [redisServer] : [])].map((each) => each.close()),
      );
    },
  };
}

interface Launch {
  readonly env: Record<string, string>;
  run(args: readonly string[], env: Record<string, string>, log: string): ChildProcess;
}

async function openPart(name: string, role: string, { env, run }: Launch): Promise<Part> {
  const [clock, port] = await Promise.all([openFalseClock(), freePort()]);
  const launch = () =>
    run(['run', '--role', role], { ...env, ...clock.env, PLANTSYNC_CONSOLE__PORT: String(port) }, name);
  let child = launch();
  return {
    name,
    clock,
    console: `http://127.0.0.1:${port}`,
    signal: (signal) => void child.kill(signal),
    kill: () => endProcess(child, 'SIGKILL'),
    start: () => {
      child = launch();
    },
  };
}

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StoreError } from '../../../errors.ts';
import { findFreePort } from '../../../free-port.ts';
import type { Logger } from '../../../log.ts';
import { hasEnded, spawnServer } from '../../../spawn-server.ts';
import { steadyMs } from '../../../steady-clock.ts';

const run = promisify(execFile);
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;

/** An InfluxDB 1.x server of the demo. */
export interface DemoInflux {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The content of the pid file next to the data, by which a later process finds a server that outlived its own
 * process.
 */
interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** The process that stops the server. */
  readonly owner: number;
}

/**
 * Starts the InfluxDB 1.x found in `PATH` on a free port, with its data in `folder`. If such a server runs
 * already, it is taken over. Resolves to undefined if there is no InfluxDB 1.x.
 */
export async function startDemoInflux(
  folder: string,
  { env, log }: { env: NodeJS.ProcessEnv; log: Logger },
): Promise<DemoInflux | undefined> {
  const program = findProgram('influxd', env);
  if (program === undefined || !(await isVersion1(program))) return undefined;
  const home = resolve(folder);
  mkdirSync(home, { recursive: true });
  const left = await findRunning(home);
  if (left !== undefined) {
    log.info({ pid: left.pid, port: left.port }, 'taking over the InfluxDB that runs already');
    const stop = async () => (isAlive(left.owner) ? undefined : stopServer(home, left.pid));
    return { url: urlOf(left.port), stop };
  }
  const { pid, port } = await launch(home, program);
  return { url: urlOf(port), stop: () => stopServer(home, pid) };
}

function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

async function isVersion1(program: string): Promise<boolean> {
  try {
    return /InfluxDB v?1\./.test((await run(program, ['version'])).stdout);
  } catch {
    // A program that fails is no InfluxDB 1.x that could be started.
    return false;
  }
}

/**
 * Finds the server that the pid file names, if it lives and is ours. A server that does not answer is ended.
 */
async function findRunning(home: string): Promise<PidFile | undefined> {
  const path = pidFile(home);
  if (!existsSync(path)) return undefined;
  const known = JSON.parse(readFileSync(path, 'utf8')) as PidFile;
  if (isAlive(known.pid) && (await isOurs(home, known.pid))) {
    if (await answers(known.port, { withinMs: START_TIMEOUT_MS })) return known;
    await stopServer(home, known.pid);
  }
  rmSync(path, { force: true });
  return undefined;
}

/**
 * A pid may belong to another program by now. The server is ours if its arguments name our configuration
 * file.
 */
async function isOurs(home: string, pid: number): Promise<boolean> {
  try {
    return (await run('ps', ['-o', 'args=', '-p', String(pid)])).stdout.includes(configFile(home));
  } catch {
    // ps fails if the process does not exist any more.
    return false;
  }
}

async function launch(home: string, program: string): Promise<{ pid: number; port: number }> {
  const port = await choosePort(home);
  const backupPort = await findFreePort();
  writeFileSync(configFile(home), renderConfig(home, { port, backupPort }));
  const logFile = join(home, 'server.log');
  // The server is in a process group of its own, so that an interrupt from the terminal reaches only this
  // process.
  const server = await spawnServer({
    program,
    args: ['-config', configFile(home)],
    logPath: logFile,
    options: { detached: true },
  });
  const { pid } = server.process;
  if (pid !== undefined) {
    writeFileSync(pidFile(home), JSON.stringify({ pid, port, owner: process.pid } satisfies PidFile));
    if (await answers(port, { withinMs: START_TIMEOUT_MS, isOver: () => hasEnded(server) }))
      return { pid, port };
    await stopServer(home, pid);
  }
  const reason = await server.readEnd();
  throw new StoreError(
    'influx.demo_failed',
    `InfluxDB for the demo does not start: ${reason}; see ${logFile}`,
    {
      action: 'stop',
    },
  );
}

function renderConfig(home: string, { port, backupPort }: { port: number; backupPort: number }): string {
  const quote = (path: string) => JSON.stringify(join(home, path));
  return `reporting-disabled = true
bind-address = "127.0.0.1:${backupPort}"
[meta]
dir = ${quote('meta')}
[data]
dir = ${quote('data')}
wal-dir = ${quote('wal')}
query-log-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
[monitor]
store-enabled = false
`;
}

async function stopServer(home: string, pid: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (isAlive(pid)) process.kill(pid, signal);
    for (let waitedMs = 0; isAlive(pid) && waitedMs < STOP_TIMEOUT_MS; waitedMs += 50) await wait(50);
  }
  rmSync(pidFile(home), { force: true });
}

async function answers(
  port: number,
  { withinMs, isOver = () => false }: { withinMs: number; isOver?: () => boolean },
): Promise<boolean> {
  const deadlineMs = steadyMs() + withinMs;
  do {
    const reply = await fetch(`${urlOf(port)}/ping`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (reply?.ok) return true;
    await wait(100);
  } while (steadyMs() < deadlineMs && !isOver());
  return false;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Returns the port of the last start if it is free. The address is a part of the store's identity, so a store
 * with a new port would be filled again.
 */
async function choosePort(home: string): Promise<number> {
  const path = join(home, 'port');
  const last = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  const port = await findFreePort(last);
  writeFileSync(path, String(port));
  return port;
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`;
const pidFile = (home: string) => join(home, 'server.pid');
const configFile = (home: string) => join(home, 'influxdb.conf');

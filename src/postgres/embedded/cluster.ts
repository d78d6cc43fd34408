import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf, StoreError } from '../../errors.ts';
import { type SpawnedServer, spawnServer } from '../../spawn-server.ts';
import { type Account, type Home, readOptional } from './home.ts';

const run = promisify(execFile);

/** The files of one embedded server, and what runs them. */
export interface Cluster {
  readonly home: Home;
  /** The folder with the programs in `bin`. */
  readonly binaries: string;
  readonly user: string;
  readonly password: string;
  /** Settings of postgresql.conf besides our own. */
  readonly settings: Readonly<Record<string, string>>;
}

/** A running postmaster as its `postmaster.pid` describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

export function dataOf(cluster: Cluster): string {
  return join(cluster.home.folder, 'data');
}

/**
 * Returns options for a server that gets nothing of our own environment, which may hold secrets and a locale.
 */
export function spawnOptions({ home }: Cluster): { cwd: string; env: NodeJS.ProcessEnv } & Partial<Account> {
  const { PATH, SystemRoot } = process.env;
  return { cwd: home.folder, env: { PATH, SystemRoot, LC_ALL: 'C' }, ...home.account };
}

/** What `postmaster.pid` says: a server that runs, or the process number of one that does not. */
export interface PidFile {
  readonly live?: Postmaster;
  readonly stalePid?: number;
}

/**
 * Looks for the postmaster of this cluster. Its process number alone proves nothing, since numbers are used
 * again (after every start of a container). The process must have been started for this folder.
 */
export async function readPidFile(cluster: Cluster): Promise<PidFile> {
  const lines = (await readOptional(join(dataOf(cluster), 'postmaster.pid')))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!(pid > 0)) return {};
  if (!(await servesFolder(pid, dataOf(cluster)))) return { stalePid: pid };
  return port > 0 ? { live: { pid, port } } : {};
}

/**
 * Returns true if a process was started for a folder. A dead process that nobody has waited for has no
 * command line.
 */
async function servesFolder(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.split('\0').includes(data);
  }
  return run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.includes(data),
    () => false,
  );
}

/**
 * Starts the server in a session of its own, so that Ctrl-C on our terminal does not reach it before we stop
 * it. `stalePid` is the number in its pid file, if another process has that number now.
 */
export async function launch(cluster: Cluster, port: number, stalePid?: number): Promise<SpawnedServer> {
  const options = spawnOptions(cluster);
  // The server takes no parent process for a rival, so we name this process as one.
  if (stalePid !== undefined) options.env.PG_GRANDPARENT_PID = String(stalePid);
  return spawnServer({
    program: join(cluster.binaries, 'bin', 'postgres'),
    args: ['-D', dataOf(cluster), ...serverSettings(cluster, port)],
    logPath: join(cluster.home.folder, 'server.log'),
    options: { ...options, detached: true },
  });
}

function serverSettings(cluster: Cluster, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...cluster.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Stops the server at once, and waits until its process has ended. Open transactions are rolled back, and
 * sessions are closed.
 */
export async function shutDown(cluster: Cluster): Promise<void> {
  const { live } = await readPidFile(cluster);
  try {
    const args = ['stop', '-D', dataOf(cluster), '-m', 'fast', '-w', '-t', '60'];
    await run(join(cluster.binaries, 'bin', 'pg_ctl'), args, spawnOptions(cluster));
    // pg_ctl waits for the pid file to go, which is the last but one thing that the server does.
    while (live !== undefined && (await servesFolder(live.pid, dataOf(cluster)))) await sleep(10);
  } catch (error) {
    // The server may have died before or meanwhile, which pg_ctl takes for a failure.
    if ((await readPidFile(cluster)).live === undefined) return;
    throw new StoreError(
      'postgres.embedded_failed',
      `the embedded PostgreSQL in ${cluster.home.folder} could not be stopped: ${messageOf(error).trim()}`,
      { action: 'stop', cause: error },
    );
  }
}

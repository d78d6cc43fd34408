import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, StoreError } from '../../errors.ts';
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

const MAX_LOG_BYTES = 10_000_000;

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

/** A server that was told to start. */
export interface Launch {
  readonly process: ChildProcess;
  /** Returns why the server ended: the end of what it wrote to its log. */
  readEnd(): Promise<string>;
}

/**
 * Starts the server in a session of its own, so that Ctrl-C on our terminal does not reach it before we stop
 * it. `stalePid` is the number in its pid file, if another process has that number now.
 */
export async function launch(cluster: Cluster, port: number, stalePid?: number): Promise<Launch> {
  const options = spawnOptions(cluster);
  // The server takes no parent process for a rival, so we name this process as one.
  if (stalePid !== undefined) options.env.PG_GRANDPARENT_PID = String(stalePid);
  const logPath = join(cluster.home.folder, 'server.log');
  const log = await open(logPath, 'a', 0o600);
  try {
    if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate();
    const from = (await log.stat()).size;
    const program = join(cluster.binaries, 'bin', 'postgres');
    const child = spawn(program, ['-D', dataOf(cluster), ...serverSettings(cluster, port)], {
      ...options,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    let problem = 'the server ended without a word';
    child.on('error', (error) => {
      problem = error.message;
    });
    child.unref();
    const readEnd = async (): Promise<string> => {
      const written = (await readFile(logPath)).subarray(from).toString('utf8').trim();
      return written === '' ? problem : written.split('\n').slice(-4).join(' / ');
    };
    return { process: child, readEnd };
  } finally {
    await log.close();
  }
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

export function hasEnded({ process: child }: Launch): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Stops the server at once. Open transactions are rolled back, and sessions are closed. */
export async function shutDown(cluster: Cluster): Promise<void> {
  try {
    const args = ['stop', '-D', dataOf(cluster), '-m', 'fast', '-w', '-t', '60'];
    await run(join(cluster.binaries, 'bin', 'pg_ctl'), args, spawnOptions(cluster));
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

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../src/free-port.ts';

/** A real server of one test, which may stop, kill and restart it; address and data stay the same. */
export interface TestServer {
  readonly url: string;
  /** Ends it properly and waits. */
  stop(): Promise<void>;
  /** kill -9, and waits until it is dead. */
  kill(): Promise<void>;
  /** Sends it a signal, as to stop and to continue it. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again after `stop` or `kill`. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  /** Temporary folder of the server, removed by `close`. */
  readonly folder: string;
  /** Resolves to true once the server answers. */
  isReady(): Promise<boolean>;
}

const startTimeoutMs = 60_000;

/** A temporary folder that the account of a server may enter too; in memory where there is enough of it, unless `root` is given. */
export async function makeFolder(name: string, root?: string): Promise<string> {
  const folder = await mkdtemp(join(root ?? (await findRoot()), `plantsync-test-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

const memoryDisk = '/dev/shm';
/** What is free in memory before servers keep their data there; a run needs a small part of it. */
const roomBytes = 4e9;

/**
 * Databases of tests come and go by thousands of files. A disk spends a quarter of all processor time on that, memory next to none.
 * A small or locked memory disk, as containers have it, is left alone.
 */
async function findRoot(): Promise<string> {
  const { bavail, bsize } = await statfs(memoryDisk).catch(() => ({ bavail: 0, bsize: 0 }));
  if (Math.min(bavail * bsize, freemem()) < roomBytes) return tmpdir();
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  // Root may have to copy the programs of PostgreSQL to where their account can execute them.
  const runsPrograms = new RegExp(`^\\S+ ${memoryDisk} tmpfs (?!\\S*noexec)`, 'm').test(mounts);
  return runsPrograms ? memoryDisk : tmpdir();
}

/** A port of 127.0.0.1 that was free just now, and that no connection takes before the server does. */
export function freePort(): Promise<number> {
  return findFreePort();
}

/** True if a GET of the URL is answered with a success status. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}

/** True if somebody listens at a port of 127.0.0.1. */
export async function answersTcp(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

const open = new Set<TestServer>();

/** Notes the server as open until its `close`, so that it is closed in any case. */
export function keepOpen<S extends TestServer>(server: S): S {
  const noted = {
    ...server,
    async close() {
      open.delete(noted);
      await server.close();
    },
  };
  open.add(noted);
  return noted;
}

/** Closes the servers that a failed test left behind. */
export async function closeOpenServers(): Promise<void> {
  await Promise.all([...open].map((server) => server.close()));
}

/** Starts a server as a child process and waits until it is ready. */
export async function startProcess(server: ServerCommand): Promise<TestServer> {
  let child = await launch(server);
  const end = (signal: NodeJS.Signals): Promise<void> => endProcess(child, signal);
  return keepOpen({
    url: server.url,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async signal(signal) {
      child.kill(signal);
    },
    async start() {
      await end('SIGTERM');
      child = await launch(server);
    },
    async close() {
      await end('SIGTERM');
      await rm(server.folder, { recursive: true, force: true });
    },
  });
}

/** Sends the signal to a child process that still runs, and waits until it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/** Starts a server once; resolves when it is ready. */
export async function launch({
  command,
  args,
  folder,
  isReady,
}: Omit<ServerCommand, 'url'>): Promise<ChildProcess> {
  const logPath = join(folder, 'server.log');
  const log = openSync(logPath, 'a');
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', log, log] });
  const deadlineMs = Date.now() + startTimeoutMs;
  while (Date.now() < deadlineMs && child.exitCode === null) {
    if (await isReady()) return child;
    await sleep(25);
  }
  child.kill('SIGKILL');
  throw new Error(`${command} did not start: ${(await readFile(logPath, 'utf8')).slice(-1000)}`);
}

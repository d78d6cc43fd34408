import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../src/free-port.ts';
import { hasEnded, spawnServer } from '../../../src/spawn-server.ts';

/**
 * A real server of one test, which the test may stop, kill and restart. Its address and data stay the same.
 */
export interface TestServer {
  readonly url: string;
  /** Ends the server properly and waits for its end. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL and waits for its end. */
  kill(): Promise<void>;
  /** Sends the server a signal, for example to stop and to continue it. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Starts the server again after `stop` or `kill`. */
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  /** The temporary folder of the server, which `close` removes. */
  readonly folder: string;
  /** Resolves to true once the server answers. */
  isReady(): Promise<boolean>;
}

const startTimeoutMs = 180_000;

const folders = new Set<string>();

/**
 * Makes a temporary folder that the account of a server may enter too. It is in memory if there is room,
 * unless `root` names its parent. A file of tests loses its folders at its end.
 */
export async function makeFolder(name: string, root?: string): Promise<string> {
  const folder = await mkdtemp(join(root ?? (await findRoot()), `plantsync-test-${name}-`));
  folders.add(folder);
  await chmod(folder, 0o755);
  return folder;
}

const memoryDisk = '/dev/shm';
/**
 * The free memory, in bytes, above which servers keep their data in memory. A run needs a small part of it.
 */
const roomBytes = 4e9;

/**
 * Returns the folder for the data of servers. Databases of tests come and go by thousands of files. A disk
 * spends a quarter of all processor time on that, memory almost no time. A small or locked memory disk, as in
 * containers, is not used.
 */
async function findRoot(): Promise<string> {
  const { bavail, bsize } = await statfs(memoryDisk).catch(() => ({ bavail: 0, bsize: 0 }));
  if (Math.min(bavail * bsize, freemem()) < roomBytes) return tmpdir();
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  // Root may have to copy the programs of PostgreSQL to a folder where their account can execute them.
  const runsPrograms = new RegExp(`^\\S+ ${memoryDisk} tmpfs (?!\\S*noexec)`, 'm').test(mounts);
  return runsPrograms ? memoryDisk : tmpdir();
}

/** The ports of tests. No connection and no server that the program starts gets one of them. */
const testPorts = { from: 30_000, to: 32_768 };
/** Each worker of vitest has its own part of the ports. */
const PARTS = 8;
const given = new Set<number>();

/**
 * Returns a port of 127.0.0.1 that is free now, and that this test run gives to nobody else. So a server that
 * is down for a while finds its port free again.
 */
export async function freePort(): Promise<number> {
  const part = (Number(process.env.VITEST_POOL_ID ?? 0) + PARTS) % PARTS;
  const size = Math.floor((testPorts.to - testPorts.from) / PARTS);
  for (;;) {
    const from = testPorts.from + part * size;
    const port = await findFreePort(randomInt(from, from + size));
    if (!given.has(port)) {
      given.add(port);
      return port;
    }
  }
}

/** Tells whether a GET of the URL is answered with a success status. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}

/** Tells whether somebody listens at a port of 127.0.0.1. */
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

/** Closes the servers that a failed test left open, and removes all folders. */
export async function leaveNothing(): Promise<void> {
  const left = [...folders];
  // What cannot be removed must not fail the next file too.
  folders.clear();
  const closed = await Promise.allSettled([...open].map((server) => server.close()));
  const removed = await Promise.allSettled(
    left.map((folder) => rm(folder, { recursive: true, force: true })),
  );
  const failed = [...closed, ...removed].find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
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

/** Sends the signal to a running child process, and waits until the process has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  // Without this, a process that has nothing else to do would end before the server.
  child.ref();
  child.kill(signal);
  await exit;
}

/** Starts a server once. Resolves when the server is ready. */
export async function launch({
  command,
  args,
  folder,
  isReady,
}: Omit<ServerCommand, 'url'>): Promise<ChildProcess> {
  const logPath = join(folder, 'server.log');
  const server = await spawnServer({ program: command, args, logPath, options: { cwd: folder } });
  const deadlineMs = Date.now() + startTimeoutMs;
  while (Date.now() < deadlineMs && !hasEnded(server)) {
    if (await isReady()) return server.process;
    await sleep(25);
  }
  server.process.kill('SIGKILL');
  throw new Error(`${command} did not start: ${await server.readEnd()}`);
}

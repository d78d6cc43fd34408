import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real server of one test, which may stop, kill and restart it; address and data stay the same. */
export interface TestServer {
  readonly url: string;
  /** Ends it properly and waits. */
  stop(): Promise<void>;
  /** kill -9, and waits until it is dead. */
  kill(): Promise<void>;
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

/** A temporary folder that the account of a server may enter too. */
export async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `plantsync-test-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** A port of 127.0.0.1 that was free just now. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Below the ports that the system gives to connections, so that none takes it before the server does.
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
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

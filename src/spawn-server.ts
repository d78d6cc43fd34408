import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';

/** A larger log is emptied at the next start of its server. */
const MAX_LOG_BYTES = 10_000_000;
/** Lines at the end of a log that say why the server ended. */
const END_LINES = 4;

/** A server program to start as a child process. */
export interface ServerProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** The server writes to this file, which only its owner may read. */
  readonly logPath: string;
  readonly options?: Omit<SpawnOptions, 'stdio'>;
}

/** A server that was told to start. */
export interface SpawnedServer {
  readonly process: ChildProcess;
  /** Returns why the server ended: the end of what it wrote to its log since this start. */
  readEnd(): Promise<string>;
}

/**
 * Starts a server as a child process that this process does not wait for. If the program cannot be started,
 * `readEnd` tells why.
 */
export async function spawnServer({
  program,
  args,
  logPath,
  options = {},
}: ServerProgram): Promise<SpawnedServer> {
  const log = await open(logPath, 'a', 0o600);
  try {
    if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate();
    const from = (await log.stat()).size;
    const child = spawn(program, args, { ...options, stdio: ['ignore', log.fd, log.fd] });
    let problem = 'the server ended without a word';
    child.on('error', (error) => {
      problem = error.message;
    });
    child.unref();
    const readEnd = async (): Promise<string> => {
      const written = (await readFile(logPath)).subarray(from).toString('utf8').trim();
      return written === '' ? problem : written.split('\n').slice(-END_LINES).join(' / ');
    };
    return { process: child, readEnd };
  } finally {
    await log.close();
  }
}

/** True if a server that was spawned has ended, or could not be started. */
export function hasEnded({ process }: SpawnedServer): boolean {
  return process.pid === undefined || process.exitCode !== null || process.signalCode !== null;
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EmbeddedServer } from '../../../src/postgres/embedded/start-embedded.ts';

/** Another process that uses an embedded server. */
export interface EmbeddedUser {
  /** Resolves when the server runs. Rejects if the process ends before that. */
  readonly ready: Promise<Omit<EmbeddedServer, 'stop'>>;
  /** Lets the process end its use of the server, and waits until the process has ended. */
  stop(): Promise<void>;
  /** Kills the process with signal 9. */
  kill(): Promise<void>;
}

const script = fileURLToPath(new URL('use-embedded.ts', import.meta.url));

/** Starts a process that uses the server of `dataDir`. It inherits nothing but PATH: no LANG, no HOME. */
export function useEmbedded(dataDir: string, root: string): EmbeddedUser {
  const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir, root], {
    env: { PATH: process.env.PATH },
  });
  const exit = once(child, 'exit');
  const end = async (how: () => unknown): Promise<void> => {
    how();
    await exit;
  };
  return {
    ready: readServer(child),
    stop: () => end(() => child.stdin.end()),
    kill: () => end(() => child.kill('SIGKILL')),
  };
}

async function readServer(child: ChildProcessWithoutNullStreams): Promise<Omit<EmbeddedServer, 'stop'>> {
  let problems = '';
  child.stderr.on('data', (chunk) => {
    problems += chunk;
  });
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error(`the user of the embedded server ended: ${problems}`);
}

import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';

/** The end of a command. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the project in `folder` within this process, for tests that need many of them: a process each costs seconds. */
export async function runCommand(folder: string, args: readonly string[]): Promise<Ran> {
  const texts = { stdout: '', stderr: '' };
  const open = (name: keyof typeof texts) =>
    new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => {
      texts[name] += text;
    }) as unknown as NodeJS.WriteStream;
  const io: Io = {
    stdin: process.stdin,
    stdout: open('stdout'),
    stderr: open('stderr'),
    env: { PLANTSYNC_CONFIG: join(folder, 'plantsync.yaml'), PLANTSYNC_LOG__LEVEL: 'silent' },
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(io, args);
  // What was written is handed on after the current work.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, ...texts };
}

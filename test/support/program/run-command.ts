import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { InterruptedError } from '../../../src/errors.ts';

/** The end of a command. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Output and errors together, as a person at a terminal sees them. */
  readonly output: string;
}

/**
 * Options of plantsync as variables. Variables for the process itself, such as TZ, need a process of its own.
 */
export type OptionVariables = Readonly<Record<`PLANTSYNC_${string}`, string>>;

/** What a command gets besides its arguments. */
export type CommandSurroundings = OptionVariables & Pick<Partial<Io>, 'storeKinds' | 'signal' | 'stdin'>;

/**
 * Runs a command of the project in `folder` within this process, with a tenth of the processor time of a
 * process of its own. The command logs nothing, since the log has the stderr of this process. A command that
 * still runs when the test ends is interrupted.
 */
export async function runCommand(
  folder: string,
  args: readonly string[],
  { storeKinds, signal, stdin = process.stdin, ...env }: CommandSurroundings = {},
): Promise<Ran> {
  const texts = { stdout: '', stderr: '', output: '' };
  const open = (name: 'stdout' | 'stderr') =>
    new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => {
      texts[name] += text;
      texts.output += text;
    }) as unknown as NodeJS.WriteStream;
  const controller = new AbortController();
  const io: Io = {
    stdin,
    stdout: open('stdout'),
    stderr: open('stderr'),
    env: { PLANTSYNC_CONFIG: join(folder, 'plantsync.yaml'), PLANTSYNC_LOG__LEVEL: 'silent', ...env },
    signal: signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal]),
    ...(storeKinds && { storeKinds }),
  };
  const running = runCommandLine(io, args);
  onTestFinished(async () => {
    controller.abort(new InterruptedError('interrupted.by_signal', 'the test has ended'));
    await running;
  });
  const code = await running;
  // The streams hand on what was written after the current work.
  await new Promise((resolve) => setImmediate(resolve));
  return { code, ...texts };
}

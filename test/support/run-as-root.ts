import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command as root, or by sudo without a password. Rejects with what the command says if it fails. */
export async function runAsRoot(command: string, ...args: readonly string[]): Promise<void> {
  const [program = '', ...rest] =
    process.getuid?.() === 0 ? [command, ...args] : ['sudo', '-n', command, ...args];
  await run(program, rest, { maxBuffer: 64 * 1024 * 1024 });
}

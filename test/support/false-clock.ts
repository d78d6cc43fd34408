import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram, faketime } from './servers/programs.ts';

/** A clock for one process, which the test may set while the process runs. */
export interface FalseClock {
  /** The environment that makes a process use the clock. */
  readonly env: Record<string, string>;
  /** Sets the clock ahead of the right time: `+1h`, `-2d`, `+0`. */
  set(ahead: string): void;
  close(): void;
}

/**
 * Makes a clock by libfaketime. Timers and the monotonic clock stay right, as on any machine whose clock is
 * set.
 */
export async function openFalseClock(): Promise<FalseClock> {
  const command = await ensureProgram(faketime);
  const library = await findLibrary(command);
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-clock-'));
  const path = join(folder, 'ahead');
  const set = (ahead: string) => writeFileSync(path, ahead);
  set('+0');
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Each try has another process number, which names a semaphore. A killed process may have left that one. */
const TRIES = 5;

/** Returns the path of libfaketime, which the command alone knows. */
async function findLibrary(command: string, tries = TRIES): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, ['-m', 'now', 'printenv', 'LD_PRELOAD']);
    return stdout.trim();
  } catch (error) {
    if (tries === 1) throw error;
    return findLibrary(command, tries - 1);
  }
}

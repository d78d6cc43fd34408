import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureProgram, faketime } from './servers/programs.ts';

/** A clock that a process is given, and that may be set while it runs. */
export interface FalseClock {
  /** For the environment of the process. */
  readonly env: Record<string, string>;
  /** Puts it so far ahead of the right time: `+1h`, `-2d`, `+0`. */
  set(ahead: string): void;
  close(): void;
}

/** Makes a clock by libfaketime. As on any machine whose clock is set, timers and the clock that nobody sets stay right. */
export async function openFalseClock(): Promise<FalseClock> {
  const command = await ensureProgram(faketime);
  const shown = await promisify(execFile)(command, ['-m', 'now', 'printenv', 'LD_PRELOAD']);
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-clock-'));
  const path = join(folder, 'ahead');
  const set = (ahead: string) => writeFileSync(path, ahead);
  set('+0');
  return {
    env: {
      LD_PRELOAD: shown.stdout.trim(),
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { RunSummary } from '../../src/sync/run-summary.ts';
import { buildProgram, removeProgram } from '../support/program/build-program.ts';
import type { TestPostgres } from '../support/servers/postgres.ts';

const main = await buildProgram();
process.once('beforeExit', removeProgram);
const MEMORY_SAMPLE_MS = 100;

/**
 * Starts the program as users run it, in a process of its own. Its log goes to the open file `log`, else to
 * ours.
 */
export function startProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  log: number | 'inherit' = 'inherit',
  profileFolder?: string,
): ChildProcess {
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileFolder];
  return spawn(process.execPath, [...profile, main, ...args, '--json', '--log-level', 'warn'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', log],
  });
}

/** A simulated platform in a process of its own, and the access to it. */
export interface BenchPlatform {
  readonly baseUrl: string;
  readonly appId: string;
  readonly secret: string;
  close(): Promise<void>;
}

export async function startPlatform(args: readonly string[]): Promise<BenchPlatform> {
  const simulator = startProgram(['simulate', '--port', '0', ...args]);
  const [line] = (await once(simulator.stdout?.setEncoding('utf8') ?? simulator, 'data')) as [string];
  return {
    ...(JSON.parse(line) as Omit<BenchPlatform, 'close'>),
    async close() {
      simulator.kill();
      await once(simulator, 'close');
    },
  };
}

/** Returns the environment of a program that reads this platform into this server. */
export function environmentOf(
  { baseUrl, appId, secret }: BenchPlatform,
  { options: { url, password = '' } }: Pick<TestPostgres, 'options'>,
): Record<string, string> {
  return {
    PLANTSYNC_PLATFORM__BASE_URL: baseUrl,
    PLANTSYNC_PLATFORM__APP_ID: appId,
    PLANTSYNC_PLATFORM__SECRET: secret,
    PLANTSYNC_POSTGRES__URL: url,
    PLANTSYNC_POSTGRES__PASSWORD: password,
  };
}

/** Returns the address of a server, with user and password. */
export function addressOf({ options: { url, password = '' } }: TestPostgres): string {
  const address = new URL(url);
  address.password = password;
  return address.href;
}

/** The summaries of a command, and its use of time and memory. */
export interface Measured {
  readonly summaries: RunSummary[];
  readonly peakMiB: number;
  /** Seconds of processor time, over all threads, up to a tenth of a second before the end. */
  readonly cpuSec: number;
  /** The memory that the command held every tenth of a second, in MiB. */
  readonly heldMiB: readonly number[];
}

/** Runs a command to its end and measures its memory (Linux). */
export async function measureProgram(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Measured> {
  const { text, ...measured } = await runMeasured(args, env);
  return { ...measured, summaries: (JSON.parse(text) as { streams: RunSummary[] }).streams };
}

/** What a command printed, and its use of time and memory. */
export interface Ran extends Omit<Measured, 'summaries'> {
  readonly text: string;
  readonly seconds: number;
}

/** Runs a command and measures its memory (Linux). Stops the command as soon as `until` is true. */
export async function runMeasured(
  args: readonly string[],
  env: Record<string, string>,
  until: () => boolean = () => false,
): Promise<Ran> {
  const startedMs = performance.now();
  const child = startProgram(args, env);
  let peakMiB = 0;
  let cpuSec = 0;
  const heldMiB: number[] = [];
  const watch = setInterval(async () => {
    if (until()) child.kill('SIGINT');
    const { held, peak } = await memoryOf(child.pid);
    if (held > 0) heldMiB.push(held);
    peakMiB = Math.max(peakMiB, peak);
    cpuSec = Math.max(cpuSec, await cpuSecOf(child.pid));
  }, MEMORY_SAMPLE_MS);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watch);
  const isAnswered = code === 0 || (code === 3 && tellsWhatIsMissing(args));
  if (!isAnswered && !until()) throw new Error(`${args.join(' ')} ended with ${code}: ${text}`);
  return { text, peakMiB, cpuSec, heldMiB, seconds: (performance.now() - startedMs) / 1000 };
}

/** Tells whether 3 is an answer of a command: that something is missing. Of others it is a failure. */
function tellsWhatIsMissing([command = '']: readonly string[]): boolean {
  return command === 'status' || command === 'gaps';
}

/** The unit in which Linux counts the processor time of programs: ticks per second. */
const TICKS_PER_SEC = 100;

/** Returns the seconds of processor time of a process (Linux). Returns 0 if the process is gone. */
export async function cpuSecOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The fields follow the name of the program, which is in parentheses.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS_PER_SEC;
}

/**
 * Returns the memory that a process holds, and the most that it ever held, in MiB (Linux). Returns 0 if the
 * process is gone.
 */
export async function memoryOf(pid: number | undefined): Promise<{ held: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return { held: read('VmRSS'), peak: read('VmHWM') };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { RunSummary } from '../../src/sync/summary.ts';
import { buildProgram, removeProgram } from '../support/build-program.ts';

const main = await buildProgram();
process.once('beforeExit', removeProgram);
const MEMORY_SAMPLE_MS = 100;

/** Starts the program as users run it, in a process of its own. */
export function startProgram(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [main, ...args, '--json', '--log-level', 'warn'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** A simulated platform in a process of its own, and how to reach it. */
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

/** What a command did, and the most memory that it ever held. */
export interface Measured {
  readonly summaries: RunSummary[];
  readonly peakMiB: number;
}

/** Runs a command to its end, watching its memory (Linux). */
export async function measureProgram(
  args: readonly string[],
  env: Record<string, string>,
): Promise<Measured> {
  const child = startProgram(args, env);
  let peakMiB = 0;
  const watch = setInterval(async () => {
    peakMiB = Math.max(peakMiB, await peakOf(child.pid));
  }, MEMORY_SAMPLE_MS);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  clearInterval(watch);
  return { summaries: (JSON.parse(text) as { streams: RunSummary[] }).streams, peakMiB };
}

/** The most memory that a process ever held (Linux), MiB; 0 if it is gone. */
export async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

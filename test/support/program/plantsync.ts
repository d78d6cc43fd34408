import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { type OptionVariables, type Ran, runCommand } from './run-command.ts';

/** The end of a plantsync process. */
export interface Ended {
  /** The exit code. Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Output and errors together, as a person at a terminal sees them. */
  readonly output: string;
}

export interface RunningPlantsync {
  readonly process: ChildProcess;
  /** Returns what the process has printed so far. */
  output(): string;
  /** Resolves when the output matches. Rejects if the process ends before. */
  printed(pattern: RegExp): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** A folder with a plantsync.yaml, removed when the test ends. */
export interface Project {
  readonly folder: string;
  /**
   * Starts a process. Needed to kill it, to let it serve, or to see its log, its working folder or its whole
   * environment.
   */
  start(args: readonly string[], env?: Record<string, string>): RunningPlantsync;
  /** Runs a command in this process. */
  run(args: readonly string[], env?: OptionVariables): Promise<Ran>;
  configure(config: object): void;
}

/** Makes a project. `config` becomes its plantsync.yaml. */
export function makeProject(config?: object): Project {
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const configure = (content: object) => writeFileSync(join(folder, 'plantsync.yaml'), stringify(content));
  if (config !== undefined) configure(config);
  const start: Project['start'] = (args, env = {}) => startPlantsync(folder, args, env);
  return { folder, configure, start, run: (args, env) => runCommand(folder, args, env) };
}

function startPlantsync(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
): RunningPlantsync {
  const child = spawn(process.execPath, [inject('program'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '', output: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      texts.output += text;
    });
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...texts }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    process: child,
    output: () => texts.output,
    printed: (pattern) => waitFor(pattern, { child, texts }),
    ended,
  };
}

async function waitFor(
  pattern: RegExp,
  { child, texts }: { child: ChildProcess; texts: { output: string } },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const streams = [child.stdout, child.stderr];
    const settle = (end: () => void) => {
      for (const stream of streams) stream?.off('data', look);
      child.off('close', fail);
      end();
    };
    const look = () => {
      if (pattern.test(texts.output)) settle(resolve);
    };
    const fail = () =>
      settle(() => reject(new Error(`plantsync ended before it printed ${pattern}:\n${texts.output}`)));
    for (const stream of streams) stream?.on('data', look);
    child.on('close', fail);
    look();
    if (child.exitCode !== null || child.signalCode !== null) fail();
  });
}

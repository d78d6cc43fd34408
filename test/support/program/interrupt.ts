import { setTimeout as sleep } from 'node:timers/promises';
import type { Ended } from './plantsync.ts';
import type { SimulatedProject } from './simulated-project.ts';

export interface Interruption {
  readonly args: readonly string[];
  /** The number of requests of this process after which it is killed. */
  readonly after: number;
  /** The milliseconds between the last of these requests and the kill. */
  readonly laterMs?: number;
}

/** Starts the command and kills it with SIGKILL after some requests. The command may end before. */
export async function killAfter(
  { start, simulator }: SimulatedProject,
  { args, after, laterMs = 0 }: Interruption,
): Promise<Ended> {
  const before = simulator.requests().total;
  const running = start(args);
  while (simulator.requests().total - before < after && running.process.exitCode === null) await sleep(2);
  await sleep(laterMs);
  running.process.kill('SIGKILL');
  return running.ended;
}

/**
 * Starts the command and kills it as soon as a condition holds. Throws an error if the command ends before.
 */
export async function killWhen(
  { start }: SimulatedProject,
  args: readonly string[],
  isSo: () => Promise<boolean>,
): Promise<void> {
  const running = start(args);
  while (!(await isSo())) {
    if (running.process.exitCode !== null) throw new Error(`it ended before:\n${running.output()}`);
    await sleep(5);
  }
  running.process.kill('SIGKILL');
  await running.ended;
}

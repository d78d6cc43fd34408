import { UsageError } from '../src/errors.ts';
import { requireKnown } from '../src/known-names.ts';
import { type Control, describeTargets, EVERYTHING } from '../src/ledger/control.ts';
import { sleepOrWake } from '../src/sleep.ts';
import { steadyMs } from '../src/steady-clock.ts';
import { isTarget, type Job } from './job.ts';

/** How long people wait for a service to take a trigger. A service looks for them every other second. */
const TAKEN_WITHIN_MS = 6_000;
const LOOK_MS = 250;

/** Pauses streams and jobs by their names, or everything without names. Resolves to what is paused. */
export async function pauseTargets(
  control: Control,
  jobs: readonly Job[],
  names: readonly string[],
): Promise<readonly string[]> {
  requireKnown(names, listTargets(jobs));
  const targets = names.length > 0 ? names : [EVERYTHING];
  await control.pause(targets);
  return targets;
}

/** Ends pauses of streams and jobs, or all pauses without names. */
export async function resumeTargets(
  control: Control,
  jobs: readonly Job[],
  names: readonly string[],
): Promise<{ resumed: string[]; left: string[] }> {
  requireKnown(names, listTargets(jobs));
  const resumed = await control.resume(names.length > 0 ? names : [EVERYTHING]);
  return { resumed, left: (await control.readPauses()).map(({ target }) => target) };
}

/** Asks that streams and jobs run now. Throws a `UsageError` if any of their jobs is paused. */
export async function triggerJobs(
  control: Control,
  jobs: readonly Job[],
  names: readonly string[],
): Promise<{ jobs: string[]; ids: number[] }> {
  requireKnown(names, listTargets(jobs));
  const chosen = jobs.filter((job) => names.some((name) => isTriggered(job, name)));
  await refusePaused(control, chosen);
  const asked = chosen.map(({ name }) => name);
  return { jobs: asked, ids: await control.trigger(asked) };
}

/** Waits until a service has taken all triggers. Resolves to false if the time or the signal comes before. */
export async function waitUntilTaken(
  control: Control,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<boolean> {
  const lastMs = steadyMs() + TAKEN_WITHIN_MS;
  while (steadyMs() <= lastMs && !signal.aborted) {
    if ((await control.readWaiting(ids)).length === 0) return true;
    await sleepOrWake(LOOK_MS, signal);
  }
  return false;
}

/** Returns the names of streams and of jobs. */
function listTargets(jobs: readonly Job[]): string[] {
  return [...new Set(jobs.flatMap(({ name, recorded }) => [recorded.stream, name]))];
}

/**
 * Tells whether a name triggers a job. Sweeps read much again, so they run only if they are named themselves.
 */
function isTriggered(job: Job, name: string): boolean {
  return job.waits ? job.name === name : isTarget(job, name);
}

async function refusePaused(control: Control, jobs: readonly Job[]): Promise<void> {
  const pauses = await control.readPauses();
  const paused = pauses.filter(({ target }) => jobs.some((job) => isTarget(job, target)));
  if (paused.length === 0) return;
  const targets = paused.map(({ target }) => target);
  throw new UsageError(
    'usage.paused',
    `Paused: ${describeTargets(targets)}. Resume it first (plantsync resume).`,
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineJob, JobOutcome } from '../../src/queue/engine.ts';

/** A distance so large that it is never due within a test. */
export const rarely = { everyMs: 3_650 * 86_400_000 };
/** A time that comes only on a leap day. */
export const leapDay = { cron: '0 0 29 2 *' };
export const everySecond = { everyMs: 1_000 };

/** One run of a job, as a test sees the run. */
export interface SeenRun {
  readonly name: string;
  readonly begunMs: number;
  ended: boolean;
  aborted: boolean;
}

/** Jobs that record their runs, in the order in which the runs began. */
export class RecordedJobs {
  readonly runs: SeenRun[] = [];
  /** Largest number of runs of one job that were under way at once. */
  greatestOverlap = 0;

  make(
    name: string,
    more: Partial<EngineJob> = {},
    work: (signal: AbortSignal) => Promise<JobOutcome | undefined> = async () => undefined,
  ): EngineJob {
    return {
      name,
      queue: 'live',
      schedule: rarely,
      needs: [],
      ...more,
      run: async (signal) => {
        const run = { name, begunMs: Date.now(), ended: false, aborted: false };
        this.runs.push(run);
        const open = this.runs.filter((other) => other.name === name && !other.ended).length;
        this.greatestOverlap = Math.max(this.greatestOverlap, open);
        try {
          return (await work(signal)) ?? 'done';
        } finally {
          run.ended = true;
          run.aborted = signal.aborted;
        }
      },
    };
  }

  of(name: string): SeenRun[] {
    return this.runs.filter((run) => run.name === name);
  }

  get names(): string[] {
    return this.runs.map(({ name }) => name);
  }
}

/** Waits until a condition is true. The time-out of the test limits the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

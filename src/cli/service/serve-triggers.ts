import { reasonOf } from '../../errors.ts';
import type { Engine, EngineJob } from '../../queue/engine.ts';
import { sleepOrWake } from '../../sleep.ts';
import type { SyncContext } from '../../sync/context.ts';

/** The period of the looks for triggers. */
const LOOK_MS = 2_000;

/** Runs the engine to its end, and meanwhile runs the jobs that people trigger through the ledger. */
export async function runWithTriggers(
  ctx: SyncContext,
  engine: Engine,
  jobs: readonly Pick<EngineJob, 'name'>[],
): Promise<void> {
  const ended = new AbortController();
  const names = jobs.map(({ name }) => name);
  const attending = serveTriggers({ ...ctx, signal: ended.signal }, engine, names);
  try {
    await engine.run();
  } finally {
    ended.abort();
    await attending;
  }
}

/**
 * Triggers jobs of the engine as people ask through the ledger (`plantsync trigger`), until the signal is
 * aborted.
 */
async function serveTriggers(
  { ledger, log, signal }: Pick<SyncContext, 'ledger' | 'log' | 'signal'>,
  engine: Pick<Engine, 'trigger'>,
  jobs: readonly string[],
): Promise<void> {
  while (!signal.aborted) {
    try {
      await ledger.control.takeTriggers(jobs, async (job) => {
        await engine.trigger(job);
        log.info({ job }, 'the job runs now, because somebody triggered it');
      });
    } catch (error) {
      // The jobs report by themselves that a dependency is away.
      log.debug(reasonOf(error), 'triggers cannot be read, or run later');
    }
    await sleepOrWake(LOOK_MS, signal);
  }
}

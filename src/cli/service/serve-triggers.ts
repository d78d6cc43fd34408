import { reasonOf } from '../../errors.ts';
import type { Engine, EngineJob } from '../../queue/engine.ts';
import { sleepOrWake } from '../../sleep.ts';
import type { Fill } from '../../sync/backfill/fill-range.ts';
import type { SyncContext } from '../../sync/context.ts';
import { serveOrders } from './serve-orders.ts';

/** The period of the looks for triggers. */
const LOOK_MS = 2_000;

export interface Serving {
  readonly jobs: readonly Pick<EngineJob, 'name'>[];
  /** Fills history for people. Undefined if this process does no such work. */
  readonly fill: Fill | undefined;
}

/** Runs the engine to its end, and meanwhile does what people ask of the service through the ledger. */
export async function runWithTriggers(
  ctx: SyncContext,
  engine: Engine,
  { jobs, fill }: Serving,
): Promise<void> {
  const ended = new AbortController();
  const names = jobs.map(({ name }) => name);
  // Triggers are taken to the end of the engine. Orders end at once, because they go on at the next start.
  const attending = Promise.all([
    serveTriggers({ ...ctx, signal: ended.signal }, engine, names),
    fill && serveOrders({ ...ctx, signal: AbortSignal.any([ctx.signal, ended.signal]) }, fill),
  ]);
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

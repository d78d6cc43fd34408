import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresOptions } from '../../../src/postgres/connect.ts';
import type { TestPostgres } from '../../support/servers/postgres.ts';
import { startRedis } from '../../support/servers/redis.ts';
import {
  type BenchPlatform,
  environmentOf,
  type Measured,
  measureProgram,
  startPlatform,
  startProgram,
} from '../program.ts';
import { withDatabase } from './grown-plants.ts';
import { type Cost, printTable } from './report.ts';

/** Backfills of ever longer histories of twenty series that have a point each minute. */
export async function scaleHistory(server: TestPostgres, days: readonly number[]): Promise<void> {
  const print = printTable('Length of history (20 series, a point each minute)', {
    grows: 'days',
    unit: 'point',
  });
  await withFilledPlant(server, {}, async (env) => {
    for (const size of days) {
      const args = ['backfill', '--from', `-${size + 400}d`, '--to', '-400d'];
      print({ what: 'backfill', size, ...costOf(await measureProgram(args, env)) });
    }
  });
}

/** Backfills of equally long histories by ever larger replies. */
export async function scaleReplies(server: TestPostgres, rows: readonly number[]): Promise<void> {
  const print = printTable('Size of replies (20 series)', { grows: 'rows of a reply', unit: 'point' });
  await withFilledPlant(server, {}, async (env) => {
    for (const [k, size] of rows.entries()) {
      const args = ['backfill', '--from', `-${7 * k + 40}d`, '--to', `-${7 * k + 33}d`];
      const limited = { ...env, PLANTSYNC_LIMITS__ROWS_PER_READ: String(size) };
      print({ what: 'backfill', size, ...costOf(await measureProgram(args, limited)) });
    }
  });
}

/**
 * Backfills by ever more worker processes. The platform takes 100 ms for an answer, and each process has four
 * requests at once. Replies are small, so that the wait for the platform is the limit and not the processor.
 */
export async function scaleWorkers(server: TestPostgres, counts: readonly number[]): Promise<void> {
  const print = printTable('Workers (each waits 100 ms for a reply)', { grows: 'processes', unit: 'point' });
  const redis = await startRedis();
  const more = {
    PLANTSYNC_REDIS__URL: redis.url,
    PLANTSYNC_PLATFORM__MAX_CONCURRENCY: '4',
    PLANTSYNC_LIMITS__ROWS_PER_READ: '60',
    PLANTSYNC_ALARMS: '{"current":false,"history":false}',
  };
  await withFilledPlant(
    server,
    more,
    async (env) => {
      // All backfills know the density and the sizes that this first one learns.
      await runOnWorkers(env, { workers: 1, back: 100 });
      for (const [k, size] of counts.entries())
        print({ what: 'backfill', size, ...costOf(await runOnWorkers(env, { workers: size, back: k })) });
    },
    ['--fault', '{kind: latency, operation: readHistory, delayMs: 100}'],
  );
  await redis.close();
}

async function runOnWorkers(
  env: Record<string, string>,
  { workers, back }: { workers: number; back: number },
): Promise<Measured> {
  const children = Array.from({ length: workers }, () =>
    startProgram(['run', '--role', 'worker'], { ...env, PLANTSYNC_LOG__LEVEL: 'error' }),
  );
  // The workers share the pieces evenly if all are there when the pieces come.
  await sleep(3_000 + 1_000 * workers);
  try {
    const range = ['--from', `-${back + 11}d`, '--to', `-${back + 10}d`];
    return await measureProgram(['backfill', '--on-workers', ...range], env);
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => once(child, 'close')));
  }
}

/** Runs the work with the environment of a program whose directory is filled. */
async function withFilledPlant(
  server: TestPostgres,
  more: Record<string, string>,
  work: (env: Record<string, string>) => Promise<void>,
  faults: readonly string[] = [],
): Promise<void> {
  const platform = await startPlatform(['--size', 'small', ...faults]);
  await withDatabase(server, async (options) => {
    const env = { ...environmentOfTwenty(platform, options), ...more };
    await measureProgram(['sync', 'objects', 'object_properties'], env);
    await work(env);
  });
  await platform.close();
}

function environmentOfTwenty(platform: BenchPlatform, options: PostgresOptions): Record<string, string> {
  return {
    ...environmentOf(platform, { options }),
    PLANTSYNC_RUNTIME: '[{"objects":"*_000[01]?","properties":"sequence","current":false}]',
  };
}

function costOf({ summaries, cpuSec, peakMiB }: Measured): Cost & { units: number } {
  const units = summaries.reduce((sum, { points }) => sum + (points.postgres ?? 0), 0);
  if (units === 0 || summaries.some(({ status }) => status !== 'done'))
    throw new Error(`the backfill stored ${units} points: ${JSON.stringify(summaries)}`);
  return { units, cpuSec, peakMiB, seconds: summaries.reduce((sum, { seconds }) => sum + seconds, 0) };
}

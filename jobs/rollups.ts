import type { Config } from '../src/config/config-schema.ts';
import { goesToPostgres, type StoreKinds } from '../src/load/stores/store-kind.ts';
import { keepRollups, ROLLUP, ROLLUP_JOB } from '../src/sync/rollups/keep-rollups.ts';
import { ROLLUPS } from '../src/sync/stream-names.ts';
import type { Job } from './job.ts';

const EVERY_MS = 60_000;

/** Lists the job that keeps the rollups of history, if history goes to Postgres. */
export function listRollups(config: Config, kinds: StoreKinds): Job[] {
  const reads = config.runtime.some(({ history }) => history.enabled);
  if (!config.rollups || !goesToPostgres(config, kinds) || !reads) return [];
  return [
    {
      name: ROLLUP_JOB,
      queue: 'sync',
      schedule: { everyMs: EVERY_MS },
      needs: [],
      recorded: { stream: ROLLUPS, kind: ROLLUP },
      run: keepRollups,
    },
  ];
}

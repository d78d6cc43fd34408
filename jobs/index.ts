import type { Config } from '../src/config/config-schema.ts';
import type { StoreKinds } from '../src/load/stores/store-kind.ts';
import { STORE_KINDS } from '../src/load/stores/store-kinds.ts';
import { listAlarmIncrements } from './alarm-increment.ts';
import { listAlarmPolls } from './alarm-poll.ts';
import { listAlarmSweeps } from './alarm-sweep.ts';
import { listDeliveries } from './delivery.ts';
import { listIncrements } from './increment.ts';
import type { Job } from './job.ts';
import { listPolls } from './poll.ts';
import { listRollups } from './rollups.ts';
import { listScans } from './scan.ts';
import { listSweeps } from './sweep.ts';
import { listVerifications } from './verification.ts';

/** Lists every job that the configuration asks for. */
export function listJobs(config: Config, kinds: StoreKinds = STORE_KINDS): Job[] {
  return [
    ...listScans(config),
    ...listPolls(config),
    ...listDeliveries(config, kinds),
    ...listIncrements(config),
    ...listSweeps(config),
    ...listVerifications(config),
    ...listRollups(config, kinds),
    ...listAlarmPolls(config),
    ...listAlarmIncrements(config),
    ...listAlarmSweeps(config),
  ];
}

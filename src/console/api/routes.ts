import { alarmRoutes } from './alarms.ts';
import { availabilityRoutes } from './availability.ts';
import { backfillPlanRoutes } from './backfill-plan.ts';
import { backfillRoutes } from './backfills.ts';
import { changeRoutes } from './changes.ts';
import { configurationRoutes } from './configuration.ts';
import { controlRoutes } from './control.ts';
import { coverageRoutes } from './coverage.ts';
import { driftRoutes } from './drift.ts';
import { explorerRoutes } from './explorer.ts';
import { overviewRoutes } from './overview.ts';
import { queueRoutes } from './queues.ts';
import { rejectRoutes } from './rejects.ts';
import type { ApiRoute } from './route.ts';
import { runRoutes } from './runs.ts';
import { serviceRoutes } from './service.ts';
import { streamRoutes } from './streams.ts';

/** All operations of the API, by subject. */
export const apiRoutes: readonly ApiRoute[] = [
  ...overviewRoutes,
  ...serviceRoutes,
  ...streamRoutes,
  ...coverageRoutes,
  ...availabilityRoutes,
  ...backfillPlanRoutes,
  ...alarmRoutes,
  ...explorerRoutes,
  ...controlRoutes,
  ...runRoutes,
  ...backfillRoutes,
  ...rejectRoutes,
  ...driftRoutes,
  ...changeRoutes,
  ...queueRoutes,
  ...configurationRoutes,
];

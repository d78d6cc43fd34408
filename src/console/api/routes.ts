import { alarmRoutes } from './alarms.ts';
import { availabilityRoutes } from './availability.ts';
import { backfillPlanRoutes } from './backfill-plan.ts';
import { coverageRoutes } from './coverage.ts';
import { explorerRoutes } from './explorer.ts';
import { overviewRoutes } from './overview.ts';
import type { ApiRoute } from './route.ts';
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
];

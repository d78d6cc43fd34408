import type { ApiRoute } from './route.ts';
import { serviceRoutes } from './service.ts';

/** All operations of the API, by subject. */
export const apiRoutes: readonly ApiRoute[] = [...serviceRoutes];

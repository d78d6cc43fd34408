import { z } from 'zod';
import { zoneOfPlant } from '../../time-zone.ts';
import { route } from './route.ts';

export const serviceReply = z.object({
  version: z.string(),
  platform: z.string().describe('Address of the platform.'),
  readOnly: z.boolean(),
  hasRedis: z.boolean(),
  timezone: z.string().describe('Zone of the platform, or UTC if the configuration names none.'),
  stores: z.array(z.object({ id: z.string(), kind: z.string() })).describe('The stores of history.'),
});
export type ServiceReply = z.output<typeof serviceReply>;

const getService = route({
  method: 'get',
  path: '/service',
  id: 'getService',
  summary: 'Tells what this console belongs to, and what it may do.',
  reply: serviceReply,
  handle: async ({ config, version, stores }) => ({
    version,
    platform: config.platform.baseUrl,
    readOnly: config.console.readOnly,
    hasRedis: config.redis !== undefined,
    timezone: zoneOfPlant(config.platform),
    stores: stores.map(({ id, kind }) => ({ id, kind })),
  }),
});

export const serviceRoutes = [getService];

import { z } from 'zod';
import { integer, text } from './fields.ts';

/** The HTTP server of the service, for its health and its metrics. Without a port there is no such server. */
export const consoleSchema = z.strictObject({
  port: integer(0, 65_535)
    .optional()
    .describe('Port of health and metrics; 0 takes a free one. Without it the service listens to nothing.'),
  host: text()
    .prefault('127.0.0.1')
    .describe('Address to listen on; 0.0.0.0 for all of the machine or container.'),
});

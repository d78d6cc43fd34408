import { z } from 'zod';
import { boolean, integer, oneOf, text, texts } from './fields.ts';

/** The fewest characters of a token, so that nobody finds it by trying. */
const LEAST_TOKEN_CHARACTERS = 16;

/**
 * The HTTP server of the service: its page, API, health and metrics. Without a port there is no such server.
 */
export const consoleSchema = z
  .strictObject({
    port: integer(0, 65_535)
      .optional()
      .describe(
        'Port of page, API, health and metrics; 0 takes a free one. Without it the service listens to nothing.',
      ),
    host: text()
      .prefault('127.0.0.1')
      .describe('Address to listen on; 0.0.0.0 for all of the machine or container.'),
    token: text()
      .min(LEAST_TOKEN_CHARACTERS, { error: `is too short: at least ${LEAST_TOKEN_CHARACTERS} characters` })
      .optional()
      .describe(
        'What people sign in with, and what scripts send as Bearer token. Page and API need it unless host is of this machine alone.',
      ),
    tokenFile: text().optional().describe('File that holds the token.'),
    hosts: texts('write the names that people type in their browser, such as plant.example')
      .optional()
      .describe(
        'Host names under which browsers reach the console, without port. Requests under other names are refused.',
      ),
    readOnly: boolean().prefault(false).describe('Whether page and API only show and change nothing.'),
    metrics: oneOf(['open', 'token'])
      .prefault('open')
      .describe('Whether /metrics answers everybody, or only who sends the token.'),
  })
  .transform(({ tokenFile: _, hosts = [], ...rest }) => ({ ...rest, hosts }));

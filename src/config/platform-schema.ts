import { z } from 'zod';
import { defaultDialect } from '../platform/dialect.ts';
import { boolean, duration, formed, integer, oneOf, positive, size, text, url, zone } from './fields.ts';

/** Headers that the client sets itself, or that control the connection. */
const TAKEN_HEADERS =
  /^(accept|accept-encoding|connection|content-length|content-type|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent)$/i;

/**
 * Explains why a text cannot be the name of the header with the token (RFC 9110, token). Returns undefined if
 * it can.
 */
function findHeaderProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    return `${JSON.stringify(name)} cannot be the name of a header: use letters, digits and dashes, without blanks and line ends`;
  return TAKEN_HEADERS.test(name)
    ? `${name} is a header that has a meaning of its own: it cannot hold the token`
    : undefined;
}

const token = z
  .strictObject({
    in: oneOf(['header', 'query']).prefault(defaultDialect.token.in).describe('Where the access token goes.'),
    name: text()
      .prefault(defaultDialect.token.name)
      .describe('Name of the header or query parameter with the token.'),
    scheme: formed(/^[\x21-\x7e]*$/, 'must be one word without blanks and line ends, or empty')
      .prefault(defaultDialect.token.scheme)
      .describe('Word before the token; empty for none.'),
  })
  .superRefine(({ in: place, name }, context) => {
    const problem = place === 'header' ? findHeaderProblem(name) : undefined;
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['name'], message: problem });
  })
  .prefault({});

const dialect = z
  .strictObject({
    token,
    expiresIn: oneOf(['auto', 'seconds', 'milliseconds'])
      .prefault(defaultDialect.expiresIn)
      .describe('Unit of expiresIn; auto looks at the token itself, then at the size of the number.'),
    currentParam: oneOf(['params', 'names', 'inputs'])
      .prefault(defaultDialect.currentParam)
      .describe('Member that lists the names in a request for current values.'),
    select: oneOf(['quoted', 'bare', 'parenthesised'])
      .prefault(defaultDialect.select)
      .describe('How history names a series: "o.p", o.p or ("o.p").'),
    unusedBounds: oneOf(['omit', 'empty'])
      .prefault(defaultDialect.unusedBounds)
      .describe('Unused time bounds are left out, or sent as empty texts.'),
    arrayQuery: oneOf(['repeat', 'comma', 'brackets'])
      .prefault(defaultDialect.arrayQuery)
      .describe('Lists in a query: a=1&a=2, a=1,2 or a[]=1&a[]=2.'),
    alarmTimes: oneOf(['offset', 'utc', 'epoch-ms', 'local'])
      .prefault(defaultDialect.alarmTimes)
      .describe('Form of times in requests for the alarm history.'),
    groupBy: oneOf(['with-offset', 'period-only'])
      .prefault(defaultDialect.groupBy)
      .describe('Grouping period sent as 300s,0s or as 300s.'),
    zoneOverride: zone().optional().describe('Zone of received times that end in Z but are local.'),
  })
  .prefault({});

/** The options of the platform and of the connection to it. */
export const platformSchema = z
  .strictObject({
    baseUrl: url({
      protocols: ['http', 'https'],
      example: 'https://platform.example/gw',
      missing: 'the address of the platform, for example https://platform.example',
    }).describe('Address of the platform; a path prefix is kept.'),
    appId: text('the application id that the platform’s application designer shows').describe(
      'Application id.',
    ),
    secret: text('the application secret; or name a file that holds it in platform.secretFile').describe(
      'Application secret.',
    ),
    secretFile: text().optional().describe('File that holds the secret.'),
    timezone: zone().optional().describe('Zone of times that the platform sends without one.'),
    pageSize: integer(1, 100).prefault(100).describe('Entries per page of a list.'),
    requestTimeout: duration(1).prefault('30s').describe('Longest wait for one reply.'),
    deadline: duration(1).prefault('2m').describe('Longest time for one call with all its retries.'),
    retries: integer(0, 100).prefault(5).describe('How often a call that may succeed later is tried again.'),
    maxBody: size().prefault('64MiB').describe('Largest reply that is accepted.'),
    gzip: boolean()
      .prefault(false)
      .describe('Whether replies are asked for compressed by gzip, which pays on a slow link.'),
    maxConcurrency: integer(1, 1_000).prefault(16).describe('Most requests under way at once.'),
    requestsPerSecond: positive()
      .optional()
      .describe('Most requests per second, of all processes together with Redis; no limit if not given.'),
    caFile: text().optional().describe('PEM file of the authority that signed the platform’s certificate.'),
    certFile: text().optional().describe('PEM file of a client certificate.'),
    keyFile: text().optional().describe('PEM file of the key of the client certificate.'),
    proxy: url({ protocols: ['http', 'https'], example: 'http://proxy.example:3128', credentials: true })
      .optional()
      .describe('HTTP proxy; by default HTTPS_PROXY or HTTP_PROXY of the environment.'),
    dialect,
  })
  .transform(({ requestTimeout, deadline, maxBody, secretFile: _, caFile, certFile, keyFile, ...rest }) => ({
    ...rest,
    ca: caFile,
    cert: certFile,
    key: keyFile,
    requestTimeoutMs: requestTimeout,
    deadlineMs: deadline,
    maxBodyBytes: maxBody,
  }));

import { z } from 'zod';
import { findServerProblem, firstServerOf } from '../postgres/server-list.ts';
import { boolean, duration, formed, integer, oneOf, text, url } from './fields.ts';
import { isTree, type Tree } from './tree.ts';

/** A configured Postgres server. The password is apart from the address, so that it needs no encoding. */
export interface PostgresServer {
  readonly url: string;
  readonly password: string | undefined;
  /** PEM text of the authority that must have signed the server's certificate. */
  readonly ca?: string | undefined;
}

const defaults = { port: 5432, database: 'plantsync', user: 'plantsync', ssl: 'off' } as const;

/** The values of libpq's `sslmode` for each value of `ssl`. */
const sslModes = { off: 'disable', require: 'require', verify: 'verify-full' } as const;

const identifier = () =>
  formed(/^[a-z_][a-z0-9_]{0,40}$/, 'must be a plain lower-case name of letters, digits and _');

/**
 * Postgres, where rows, points and the ledger live. The output has no `server` if the embedded server is to
 * be used.
 */
export const postgresSchema = z
  .strictObject({
    url: url({
      protocols: ['postgres', 'postgresql'],
      example: 'postgres://user@host:5432/database (a password goes into postgres.password)',
      credentials: true,
      firstOf: firstServerOf,
    })
      .optional()
      .describe(
        'Address of the server, or of a primary and its replicas with commas, with the parameters of libpq; without url and host an embedded PostgreSQL is started.',
      ),
    host: text().optional().describe('Host name or socket folder, or several with commas, instead of url.'),
    port: integer(1, 65_535).optional().meta({ description: 'Port, with host.', fallback: defaults.port }),
    database: text().optional().meta({ description: 'Database, with host.', fallback: defaults.database }),
    user: text().optional().meta({ description: 'User, with host.', fallback: defaults.user }),
    password: text().optional().describe('Password as it is, without any encoding; with host or with url.'),
    passwordFile: text().optional().describe('File that holds the password.'),
    ssl: oneOf(['off', 'require', 'verify']).optional().meta({
      description: 'With host: require encrypts, verify also checks the certificate.',
      fallback: defaults.ssl,
    }),
    caFile: text()
      .optional()
      .describe(
        'PEM file of the authority that signed the server’s certificate; the certificate is then checked.',
      ),
    schema: identifier().prefault('plant').describe('Schema of the data.'),
    ledgerSchema: identifier()
      .prefault('plantsync')
      .describe('Schema of the ledger: what plantsync remembers.'),
    biSchema: identifier()
      .prefault('bi')
      .describe('Schema of the views for BI tools and dashboards, if bi is on.'),
    samples: boolean()
      .prefault(true)
      .describe('Whether history goes to Postgres too when InfluxDB is configured.'),
    keepSamples: duration(3_600_000)
      .optional()
      .describe('How long you keep samples; older history is not read for Postgres. Nothing is deleted.'),
    poolSize: integer(2, 200).prefault(8).describe('Most connections at once.'),
    dataDir: text().prefault('./.plantsync').describe('Folder of the embedded server.'),
  })
  .superRefine(checkKeys, { when: ({ value }) => isTree(value) })
  .transform(({ url: address, host, port, database, user, password, passwordFile: _, ssl, ...others }) => {
    const { keepSamples: keepSamplesMs, caFile: ca, ...rest } = others;
    const url =
      address ??
      (host === undefined
        ? undefined
        : makeAddress({ host, port, database, user, ssl: ssl ?? (ca === undefined ? undefined : 'verify') }));
    const server: PostgresServer | undefined = url === undefined ? undefined : { url, password, ca };
    return { ...rest, keepSamplesMs, server };
  });

function makeAddress(parts: {
  host: string;
  port: number | undefined;
  database: string | undefined;
  user: string | undefined;
  ssl: keyof typeof sslModes | undefined;
}): string {
  const query = new URLSearchParams({ sslmode: sslModes[parts.ssl ?? defaults.ssl] });
  // The host is a parameter, because it may also be the folder of a socket.
  query.set('host', parts.host);
  const user = encodeURIComponent(parts.user ?? defaults.user);
  const database = encodeURIComponent(parts.database ?? defaults.database);
  return `postgres://${user}@localhost:${parts.port ?? defaults.port}/${database}?${query}`;
}

/**
 * Checks how the options fit together. This also runs when other options are wrong, so each may be anything.
 */
function checkKeys(keys: Tree, context: z.RefinementCtx): void {
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (`${keys.host}`.split(',').includes(''))
    add('host', 'holds a comma without a server on both sides of it');
  const beside = ['host', 'port', 'database', 'user', 'ssl'].filter((key) => keys[key] !== undefined);
  if ([keys.schema ?? 'plant', keys.ledgerSchema ?? 'plantsync'].includes(keys.biSchema ?? 'bi'))
    add('biSchema', 'the schema of the views must be another than those of the data and of the ledger');
  if (keys.caFile !== undefined && keys.ssl === 'off')
    add('caFile', 'is used only with TLS: set ssl to verify');
  if (keys.url === undefined) {
    const about = [...beside, 'password', 'caFile'].find((key) => keys[key] !== undefined);
    if (about !== undefined && keys.host === undefined)
      add('host', `missing: the server that ${about} is about`);
    return;
  }
  for (const key of beside) add(key, 'give either url or this, not both');
  const first = typeof keys.url === 'string' ? firstServerOf(keys.url) : '';
  if (!URL.canParse(first)) return;
  const problem = findServerProblem(`${keys.url}`);
  if (problem !== undefined) add('url', problem);
  const { pathname, password, searchParams } = new URL(first);
  if (keys.caFile !== undefined && searchParams.has('sslrootcert'))
    add('caFile', 'give it either here or as sslrootcert in url, not both');
  // Then the text before the last @ was meant as the password, and a part of it would be taken for the host.
  if (pathname.includes('@'))
    add('url', 'holds an @ after the host: give a password with special characters in postgres.password');
  if (password && keys.password !== undefined) add('password', 'give it either here or in url, not both');
}

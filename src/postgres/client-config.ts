import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Client, type ClientConfig } from 'pg';
import { UsageError } from '../errors.ts';
import type { ServerAddress } from './postgres-errors.ts';
import { typeParsers } from './type-parsers.ts';

export interface PostgresOptions {
  /** `postgres://user@host:5432/database`, with the parameters of libpq (`sslmode`, `host` for a Unix socket, …). */
  readonly url: string;
  /** Replaces the password of the URL; any characters, not encoded. */
  readonly password?: string | undefined;
  /** PEM text of the only authority that may have signed the server's certificate. */
  readonly ca?: string | undefined;
  /** Most connections open at once, those of `openSession` not counted. Default 10. */
  readonly maxConnections?: number | undefined;
  /** Milliseconds to wait for a server that does not answer. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds that the server waits for a lock at most. Default 60,000. */
  readonly lockTimeoutMs?: number | undefined;
  /** Keeps the locks of installations in one database apart: the schema of the ledger. Default `plantsync`. */
  readonly installation?: string | undefined;
}

/** Postgres cuts the name of a session after 63 characters; these leave room for the number of the process and the mark. */
const PROGRAM_LENGTH = 20;
const HOST_LENGTH = 24;

/**
 * Names this process to people who look at the sessions of a server, and to others who wait for it: `plantsync 4711@host 1f3a90`. The mark
 * tells processes of one number apart, as in containers.
 */
function nameSession(program: string): string {
  const [name, host] = [program.slice(0, PROGRAM_LENGTH), hostname().slice(0, HOST_LENGTH)];
  return `${name} ${process.pid}@${host} ${randomBytes(3).toString('hex')}`.replace(/[^\x20-\x7e]/g, '?');
}

/** The driver's configuration, and whether TLS is used only where the server has it. */
export interface ServerConfig extends ClientConfig {
  readonly prefersTls?: boolean;
}

/** The driver's configuration. It holds the password: never log it. */
export function clientConfig(options: PostgresOptions): ServerConfig {
  const url = parseUrl(options.url);
  if (options.password !== undefined) {
    // As a parameter, because the driver lets it win over the URL's own, and because it suits URLs without a host too.
    url.password = '';
    url.searchParams.set('password', options.password);
  }
  const ssl = takeSsl(url.searchParams, options.ca);
  const program = url.searchParams.get('application_name') ?? 'plantsync';
  url.searchParams.delete('application_name');
  return {
    ...ssl,
    connectionString: url.href,
    application_name: nameSession(program),
    types: typeParsers,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    // A peer that vanished without a word is noticed within minutes instead of never.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** The driver's own reading of the URL, its defaults included, and of the certificate files that it names. */
export function addressOf(config: ClientConfig): ServerAddress {
  try {
    const { host, port, user = '', database = '' } = new Client(config);
    return { host, port, user, database };
  } catch (error) {
    if (!(error instanceof Error && 'path' in error)) throw error;
    throw new UsageError(`a certificate that postgres.url names cannot be read: ${error.message}`);
  }
}

/** `no-verify` is the driver's own name for encryption without a look at the certificate. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The settings of TLS that the driver does not read from the URL by itself; they are taken out of it. */
function takeSsl(parameters: URLSearchParams, ca: string | undefined): Partial<ServerConfig> {
  const mode = parameters.get('sslmode') ?? (ca === undefined ? null : 'verify-full');
  // With a certificate file in the URL the driver sets up TLS itself.
  const isOurs =
    ca !== undefined || (mode === 'prefer' && !/sslcert|sslkey|sslrootcert/.test(parameters.toString()));
  if (!isOurs) {
    setSslMode(parameters);
    return {};
  }
  parameters.delete('sslmode');
  parameters.delete('uselibpqcompat');
  if (ca === undefined) return { ssl: { rejectUnauthorized: false }, prefersTls: true };
  if (!/^(require|verify-ca|verify-full)$/.test(mode ?? ''))
    throw new UsageError(`postgres.caFile needs sslmode=verify-full in postgres.url; it says ${mode}`);
  // As for libpq: with an authority of its own, `require` means `verify-ca`.
  return { ssl: mode === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined } };
}

/** Gives `sslmode` the meaning that it has for libpq: the driver by itself verifies for `require` too, and warns of it. */
function setSslMode(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode');
  if (mode === null) return;
  if (!sslModes.includes(mode))
    throw new UsageError(`sslmode=${mode} of postgres.url is not one of ${sslModes.join(', ')}`);
  if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    throw new UsageError(
      'sslmode=verify-ca of postgres.url needs sslrootcert=FILE beside it; verify-full knows the public authorities',
    );
  parameters.delete('uselibpqcompat');
  if (mode !== 'no-verify') parameters.set('uselibpqcompat', 'true');
}

function parseUrl(url: string): URL {
  if (URL.canParse(url) && /^(postgres(ql)?|socket):/.test(url)) return new URL(url);
  // Without the URL: it may hold a password.
  throw new UsageError(
    'postgres.url is not a URL like postgres://user@host:5432/database; ' +
      'a password with special characters belongs into postgres.password',
  );
}

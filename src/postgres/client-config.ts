import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Client, type ClientConfig } from 'pg';
import { UsageError } from '../errors.ts';
import type { ServerAddress } from './postgres-errors.ts';
import type { RoomWatch } from './room.ts';
import { readServers, type ServerPlace, type SessionDemand } from './server-list.ts';
import { typeParsers } from './type-parsers.ts';

export interface PostgresOptions {
  /**
   * `postgres://user@host:5432/database`, with the parameters of libpq (`sslmode`, `host` for a Unix socket,
   * …). It may list several servers, as `ServerList` has them.
   */
  readonly url: string;
  /** Replaces the password of the URL. It may have any characters, and is not encoded. */
  readonly password?: string | undefined;
  /** PEM text of the only authority that may have signed the server's certificate. */
  readonly ca?: string | undefined;
  /** The most connections that are open at once. Those of `openSession` do not count. Default 10. */
  readonly maxConnections?: number | undefined;
  /**
   * Milliseconds to wait for the reply of each server. The default is `connect_timeout` of the URL, else
   * 5000.
   */
  readonly connectTimeoutMs?: number | undefined;
  /** The most milliseconds that the server waits for a lock. Default 60,000. */
  readonly lockTimeoutMs?: number | undefined;
  /**
   * The schema of the ledger: it keeps the locks of installations in one database apart. Default `plantsync`.
   */
  readonly installation?: string | undefined;
  /** What is known of the room on the server's disk, if another database of this process knows it too. */
  readonly room?: RoomWatch | undefined;
}

/**
 * Postgres cuts the name of a session after 63 characters. These lengths leave room for the process number
 * and the mark.
 */
const PROGRAM_LENGTH = 20;
const HOST_LENGTH = 24;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Returns the name of this process: `plantsync 4711@host 1f3a90`. People see it in the sessions of a server,
 * and other processes that wait for this one name it. The mark at the end tells processes with equal numbers
 * apart, as in containers.
 */
function nameSession(program: string): string {
  const [name, host] = [program.slice(0, PROGRAM_LENGTH), hostname().slice(0, HOST_LENGTH)];
  return `${name} ${process.pid}@${host} ${randomBytes(3).toString('hex')}`.replace(/[^\x20-\x7e]/g, '?');
}

/** The configuration of the driver. */
export interface ServerConfig extends ClientConfig {
  /** True if TLS is used only if the server offers it. */
  readonly prefersTls?: boolean;
  /** The servers to choose from. Empty if there is only that of the connection string. */
  readonly servers: readonly ServerPlace[];
  /** What a server has to allow. */
  readonly demand: SessionDemand;
}

/** Returns the configuration of the driver. It holds the password: never log it. */
export function clientConfig(options: PostgresOptions): ServerConfig {
  const { url: first, servers, demand } = readServers(options.url);
  const url = parseUrl(first);
  if (options.password !== undefined) {
    // The password becomes a parameter, since the driver prefers it to the URL's own. URLs without a host
    // take it too.
    url.password = '';
    url.searchParams.set('password', options.password);
  }
  const ssl = takeSsl(url.searchParams, options.ca);
  const program = url.searchParams.get('application_name') ?? 'plantsync';
  const seconds = Number(url.searchParams.get('connect_timeout') ?? 0);
  for (const ours of ['application_name', 'connect_timeout', 'target_session_attrs'])
    url.searchParams.delete(ours);
  // The driver connects to the host of its client, which is set before each connection.
  if (servers.length > 0) {
    url.searchParams.set('host', servers[0]?.host ?? '');
    url.searchParams.set('port', `${servers[0]?.port ?? ''}`);
  }
  return {
    ...ssl,
    servers,
    demand,
    connectionString: url.href,
    application_name: nameSession(program),
    types: typeParsers,
    connectionTimeoutMillis: options.connectTimeoutMs ?? (seconds > 0 ? seconds * 1000 : CONNECT_TIMEOUT_MS),
    // A peer that vanished without a word is noticed within minutes instead of never.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * Returns the address as the driver reads it from the URL, with its defaults. Throws a `UsageError` if a
 * certificate file that the URL names cannot be read.
 */
export function addressOf(config: ClientConfig): ServerAddress {
  try {
    const { host, port, user = '', database = '' } = new Client(config);
    return { host, port, user, database };
  } catch (error) {
    if (!(error instanceof Error && 'path' in error)) throw error;
    throw new UsageError(
      'config.certificate_unusable',
      `a certificate that postgres.url names cannot be read: ${error.message}`,
    );
  }
}

/**
 * All values that `sslmode` may have. With `no-verify` the driver encrypts and does not look at the
 * certificate.
 */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Takes those settings of TLS out of the URL that the driver does not read by itself, and returns them. */
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
    throw new UsageError(
      'config.wrong_value',
      `postgres.caFile needs sslmode=verify-full in postgres.url; it says ${mode}`,
    );
  // The rule is that of libpq: with an authority of its own, `require` means `verify-ca`.
  return { ssl: mode === 'verify-full' ? { ca } : { ca, checkServerIdentity: () => undefined } };
}

/**
 * Gives `sslmode` the meaning that libpq gives it. The driver alone would verify for `require` too, with a
 * warning.
 */
function setSslMode(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode');
  if (mode === null) return;
  if (!sslModes.includes(mode))
    throw new UsageError(
      'config.wrong_value',
      `sslmode=${mode} of postgres.url is not one of ${sslModes.join(', ')}`,
    );
  if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    throw new UsageError(
      'config.wrong_value',
      'sslmode=verify-ca in postgres.url needs sslrootcert=FILE too; verify-full knows the public authorities',
    );
  parameters.delete('uselibpqcompat');
  if (mode !== 'no-verify') parameters.set('uselibpqcompat', 'true');
}

function parseUrl(url: string): URL {
  if (URL.canParse(url) && /^(postgres(ql)?|socket):/.test(url)) return new URL(url);
  // The message leaves out the URL, which may hold a password.
  throw new UsageError(
    'config.wrong_value',
    'postgres.url is not a URL like postgres://user@host:5432/database; ' +
      'a password with special characters belongs in postgres.password',
  );
}

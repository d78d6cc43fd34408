import { messageOf, StoreError } from '../../errors.ts';
import type { Redact } from '../../redact.ts';
import { remedyOfCertificate } from '../../tls.ts';
import type { RedisSettings } from './redis-options.ts';
import { bareReply, type OptionNames, type Remedy, remedyOf } from './redis-server.ts';

/**
 * These messages say nothing of the cause. The errors before them do, or the servers themselves when they are
 * asked.
 */
const UNSAID =
  /^(Connection is closed|Stream isn't writeable|Command timed out|The operation was aborted|Socket timeout|All sentinels are unreachable|Failed to refresh slots cache|None of startup nodes|Cluster (isn't ready|is ended)|No reachable)/;

export function isUnsaid(error: unknown): boolean {
  return UNSAID.test(bareReply(messageOf(error)));
}

/** Returns the names of the options that lead to the servers with the data. */
export function namesOf({ sentinels, cluster }: RedisSettings): OptionNames {
  const others = { login: 'redis.username or redis.password', tls: 'set redis.tls', files: 'redis.' };
  if (sentinels !== undefined)
    return {
      ...others,
      server: 'redis.sentinels',
      unreachable: 'plantsync follows the sentinels to the next master; if this stays, start a server',
    };
  if (cluster !== undefined)
    return {
      ...others,
      server: 'redis.cluster',
      unreachable: 'start its nodes, or correct redis.cluster',
    };
  return {
    server: 'redis.url',
    login: 'the user in redis.url or redis.password',
    tls: 'let redis.url begin with redis or rediss',
    files: 'redis.',
    unreachable: 'start it, or correct redis.url',
  };
}

/** The names of the options that lead to the sentinels. */
export const sentinelNames: OptionNames = {
  server: 'redis.sentinels.nodes',
  login: 'redis.sentinels.username or redis.sentinels.password',
  tls: 'set redis.sentinels.tls',
  files: 'redis.sentinels.',
  unreachable: 'start it, or correct redis.sentinels.nodes',
};

/** Returns what to do about an error of a connection. */
export function findRemedy(error: unknown, names: OptionNames): Remedy {
  const said = bareReply(messageOf(error));
  const tlsRemedy = remedyOfTls(error, names);
  return (
    remedyOf(said, names) ?? {
      code: tlsRemedy === undefined ? 'redis.unreachable' : 'redis.tls_failed',
      action: 'retry',
      remedy: tlsRemedy ?? names.unreachable,
    }
  );
}

function remedyOfTls(error: unknown, { files, tls }: OptionNames): string | undefined {
  const said = messageOf(error);
  if (/alert.*(certificate|unknown ca|handshake failure)/i.test(said))
    return `the server does not accept our certificate: name one that it accepts in ${files}certFile and ${files}keyFile`;
  if (/wrong version number|packet length too long/i.test(said))
    return `the server speaks no TLS at this port: ${tls}, or correct the port`;
  return remedyOfCertificate(error, `${files}caFile`);
}

/** A failure, and where it happened. */
export interface Trouble {
  readonly error: unknown;
  readonly names: OptionNames;
  /** The server, without any secret. */
  readonly who: string;
}

/** Makes the error for people out of a failure. */
export function describeTrouble({ error, names, who }: Trouble, redact: Redact): StoreError {
  const { code, action, remedy } = findRemedy(error, names);
  const said = redact(bareReply(messageOf(error)));
  return new StoreError(code, `${who} cannot be used (${said}): ${remedy}`, { action, cause: error });
}

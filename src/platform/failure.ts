import type { CodeOf } from '../error-codes/error-codes.ts';
import { type Action, messageOf, type PlatformErrorKind } from '../errors.ts';
import type { LoadSign } from './transport/concurrency.ts';

/** Why one attempt failed, and what may follow from it. */
export interface Failure {
  readonly code: CodeOf<'platform'>;
  readonly kind: PlatformErrorKind;
  /** What the caller should do once the retries are used up. */
  readonly action: Action;
  /** For people: what happened, and what to do about it. */
  readonly reason: string;
  /** The most retries of this failure. The client's own number of retries is the other bound. */
  readonly retries: number;
  readonly load: LoadSign;
  /** The platform surely did not carry out the request, so that even a write may be sent again. */
  readonly notDone: boolean;
  /** The platform refused the token, so that one renewal is worth trying. */
  readonly refusedToken?: boolean;
  readonly unreachable?: boolean;
  readonly status?: number;
  /** The platform's own code. */
  readonly platformCode?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A reply is not what the contract says. The message says in what way, without quoting the reply. */
export class MalformedReply extends Error {
  constructor(
    message: string,
    readonly code: CodeOf<'platform'> = 'platform.malformed_reply',
  ) {
    super(message);
  }
}

/** A reply has more bytes than allowed, on the wire or unpacked. */
export class BodyTooLarge extends Error {}

/** An attempt took longer than allowed. */
export class AttemptTimeout extends Error {}

const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Matches codes of TLS failures: those of OpenSSL (`CERT_HAS_EXPIRED`, `DEPTH_ZERO_SELF_SIGNED_CERT`, …), and
 * those of Node (`ERR_TLS_…`, `ERR_SSL_…`).
 */
const TLS_FAILURE = /CERT|^ERR_TLS|^ERR_SSL|^UND_ERR_PRX_TLS|^EPROTO$|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/;

/** Matches codes of zlib for a body that was compressed badly, or ends too early. */
const BROKEN_COMPRESSION =
  /^(Z_(DATA|BUF|STREAM)_ERROR|Z_NEED_DICT|ERR_PADDING_\d|ERR_BROTLI.*|ERR__ERROR_.*)$/;

/** Matches codes of OpenSSL for a reply in plain text. The version of OpenSSL decides which of them comes. */
const PLAIN_HTTP = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/;

/**
 * Classifies an error that was thrown while a request was sent or its reply was read. The text of an error is
 * quoted only if it cannot hold a part of the reply.
 */
export function classifyError(error: unknown): Failure {
  if (error instanceof AttemptTimeout) return timedOut(error.message);
  if (error instanceof MalformedReply) return malformed(error.message, error.code);
  const code = systemCodeOf(error);
  if (error instanceof BodyTooLarge)
    return tooLarge(
      'platform.reply_too_large',
      'the reply is larger than platform.maxBody; ask for less at once, or raise that limit',
    );
  if (BROKEN_COMPRESSION.test(code))
    return malformed(`the reply came compressed, and it cannot be unpacked (${code}); check the gateways`);
  if (connectFailures.has(code)) {
    // An attempt to connect that ends after 5 s is repeated less often than one that is refused at once.
    return unreachable('platform.unreachable', {
      reason: `${connectText(error)}; check platform.baseUrl, the network and the proxy`,
      retries: code === 'UND_ERR_CONNECT_TIMEOUT' ? 1 : 2,
    });
  }
  if (PLAIN_HTTP.test(code))
    return unreachable('platform.plain_http', {
      reason: 'this port speaks plain http, not https; check scheme and port of platform.baseUrl',
      retries: 0,
    });
  if (TLS_FAILURE.test(code))
    return unreachable('platform.tls_failed', {
      reason: `TLS failed (${code}); check platform.caFile, platform.certFile and the certificate's host name`,
      retries: 0,
    });
  if (/^Proxy response \(\d+\)/.test(messageOf(error)) || /Proxy Authentication/.test(messageOf(error)))
    return unreachable('platform.proxy_failed', {
      reason: `${messageOf(error)}; check platform.proxy`,
      retries: 2,
    });
  return {
    code: 'platform.connection_broken',
    kind: 'unavailable',
    action: 'retry',
    reason: `the connection broke (${code})`,
    retries: Number.POSITIVE_INFINITY,
    load: 'overload',
    notDone: false,
  };
}

function malformed(reason: string, code: CodeOf<'platform'> = 'platform.malformed_reply'): Failure {
  return { code, kind: 'malformed', action: 'skip', reason, retries: 2, load: 'failing', notDone: false };
}

export function tooLarge(code: CodeOf<'platform'>, reason: string): Failure {
  return { code, kind: 'too_large', action: 'skip', reason, retries: 0, load: 'none', notDone: false };
}

function timedOut(reason: string): Failure {
  const code = 'platform.timeout';
  return { code, kind: 'timeout', action: 'retry', reason, retries: 1, load: 'overload', notDone: false };
}

function unreachable(
  code: CodeOf<'platform'>,
  { reason, retries }: Pick<Failure, 'reason' | 'retries'>,
): Failure {
  return {
    code,
    kind: 'unavailable',
    action: 'retry',
    reason,
    retries,
    load: 'overload',
    notDone: true,
    unreachable: true,
  };
}

function systemCodeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

/**
 * Returns the text of a failed connection. The `AggregateError` of a name with several addresses has no text
 * itself.
 */
function connectText(error: unknown): string {
  return error instanceof AggregateError ? messageOf(error.errors[0]) : messageOf(error);
}

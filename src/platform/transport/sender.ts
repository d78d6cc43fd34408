import type { Logger } from '../../log.ts';
import { encodeText } from '../percent.ts';
import type { PlatformOptions } from '../platform-options.ts';
import type { BuiltRequest } from '../request.ts';
import type { RawReply, SendOptions } from './exchange.ts';
import type { Transport, WireRequest } from './transport.ts';

export interface SenderDeps {
  readonly options: PlatformOptions;
  readonly transport: Transport;
  readonly log: Logger;
  readonly clock: () => number;
  readonly noteTime?: ((ms: number) => void) | undefined;
}

/** A reply, and the time (epoch milliseconds) when its request went out. */
export interface SentReply extends RawReply {
  readonly sentMs: number;
}

/**
 * Sends each request once, within a limit of time. Notes what every reply tells: bytes, and the platform's
 * clock.
 */
export class Sender {
  requests = 0;
  bytes = 0;
  /** The platform's clock minus ours, in milliseconds. */
  skewMs: number | undefined;
  readonly #deps: SenderDeps;

  constructor(parts: SenderDeps) {
    this.#deps = parts;
  }

  /**
   * Sends a request and returns its reply. Rejects with `AttemptTimeout`, the signal's reason, or the error
   * of the connection.
   */
  async send(
    request: BuiltRequest,
    accessToken: string | undefined,
    limits: SendOptions,
  ): Promise<SentReply> {
    limits.signal.throwIfAborted();
    const { transport, clock, log, options } = this.#deps;
    const sentMs = clock();
    this.requests += 1;
    const reply = await transport.send(wireRequest(request, accessToken, options), limits);
    this.bytes += reply.bytes;
    this.#noteDate(reply.date, sentMs);
    log.debug(
      { operation: request.id, status: reply.status, bytes: reply.bytes, ms: clock() - sentMs },
      'the platform replied',
    );
    return { ...reply, sentMs };
  }

  /**
   * Notes the platform's clock. A `Date` has whole seconds, so half a second is added. A slow reply says too
   * little about when it was written, so only a first one counts.
   */
  #noteDate(date: string | undefined, sentMs: number): void {
    const atMs = date === undefined ? Number.NaN : Date.parse(date);
    const nowMs = this.#deps.clock();
    if (Number.isNaN(atMs) || (this.skewMs !== undefined && nowMs - sentMs > 2000)) return;
    this.skewMs = atMs + 500 - (sentMs + nowMs) / 2;
    this.#deps.noteTime?.(nowMs + this.skewMs);
  }
}

function wireRequest(
  request: BuiltRequest,
  accessToken: string | undefined,
  { dialect, userAgent, gzip }: PlatformOptions,
): WireRequest {
  const { in: place, name, scheme } = dialect.token;
  const inHeader = accessToken !== undefined && place === 'header';
  const inQuery = accessToken !== undefined && place === 'query';
  const query = [request.query, inQuery ? `${encodeText(name)}=${encodeText(accessToken)}` : ''].filter(
    (part) => part !== '',
  );
  return {
    method: request.operation.method,
    path: query.length > 0 ? `${request.path}?${query.join('&')}` : request.path,
    headers: {
      accept: 'application/json',
      // Without this header any compression would be allowed.
      'accept-encoding': gzip ? 'gzip' : 'identity',
      'user-agent': userAgent,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(inHeader ? { [name]: scheme === '' ? accessToken : `${scheme} ${accessToken}` } : {}),
    },
    body: request.body,
  };
}

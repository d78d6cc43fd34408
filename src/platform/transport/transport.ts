import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { UsageError } from '../../errors.ts';
import { secure } from '../../tls.ts';
import type { PlatformOptions } from '../platform-options.ts';
import { Exchange, type RawReply, type SendOptions } from './exchange.ts';
import { isWithoutProxy } from './no-proxy.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Transport {
  /**
   * Sends one request once. Rejects with undici's or the system's error, `AttemptTimeout`, or the signal's
   * reason.
   */
  send(request: WireRequest, options: SendOptions): Promise<RawReply>;
  close(): Promise<void>;
}

const CERTIFICATE_OPTIONS = 'platform.caFile, platform.certFile or platform.keyFile';
/** A connection is given up sooner than a reply, so that a wrong address shows within seconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Opens the connections to a platform: pool, own authority, client certificate, proxy. Throws a `UsageError`
 * if a certificate or the address of the proxy cannot be used.
 */
export function openTransport(options: PlatformOptions): Transport {
  const { origin } = new URL(options.baseUrl);
  const dispatcher = openDispatcher(options);
  return {
    send({ method, path, headers, body }, limits) {
      const exchange = new Exchange(limits, options.maxBodyBytes);
      dispatcher.dispatch({ origin, method, path, headers, body: body ?? null }, exchange);
      return exchange.reply;
    },
    close: () => dispatcher.destroy(),
  };
}

function openDispatcher(options: PlatformOptions): Dispatcher {
  const { ca, cert, key } = options;
  const timeout = Math.min(CONNECT_TIMEOUT_MS, options.requestTimeoutMs);
  const toPlatform = { timeout, ...secure({ ca, cert, key }, CERTIFICATE_OPTIONS) };
  const shared = {
    connect: toPlatform,
    requestTls: toPlatform,
    // The proxy does not need the client certificate.
    proxyTls: { timeout, ...secure({ ca }, CERTIFICATE_OPTIONS) },
    // Only https goes through a tunnel: many proxies refuse CONNECT to other ports.
    proxyTunnel: false,
    // One timer of the sender covers a whole request. These two would cover only parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  try {
    const proxy = options.proxy ?? proxyOfEnvironment(new URL(options.baseUrl), process.env);
    return proxy === undefined ? new Agent(shared) : new ProxyAgent({ ...shared, uri: proxy });
  } catch {
    // The error quotes the URL, which may hold a password.
    throw new UsageError(
      'config.wrong_value',
      'the proxy (platform.proxy, HTTPS_PROXY or HTTP_PROXY) is not a usable URL; correct it',
    );
  }
}

/**
 * Returns the proxy that the environment names for an address. An https address takes HTTP_PROXY if there is
 * no HTTPS_PROXY. Returns undefined if no proxy applies.
 */
function proxyOfEnvironment(address: URL, env: NodeJS.ProcessEnv): string | undefined {
  if (isWithoutProxy(address, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const http = env.http_proxy ?? env.HTTP_PROXY;
  const https = env.https_proxy ?? env.HTTPS_PROXY;
  return (address.protocol === 'https:' ? https || http : http) || undefined;
}

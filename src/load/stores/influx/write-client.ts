import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HttpError, InfluxDB } from '@influxdata/influxdb-client';
import { trust } from '../../../tls.ts';
import type { InfluxTarget } from './options.ts';

/** Sends bodies of line protocol to one server. */
export interface InfluxClient {
  /**
   * Resolves when the server has acknowledged all of the body. Rejects with an `HttpError` of the official
   * client if a reply came, with another error if no reply came.
   */
  send(body: Buffer): Promise<void>;
  /** Ends all connections. Requests that have no reply yet fail. */
  close(): void;
}

/** The size in bytes from which a body is compressed. */
const LEAST_TO_COMPRESS = 1_000;
/** Lines of few series compress at this level nearly as well as at the usual one, at a third of the cost. */
const COMPRESSION = { level: 1 };
const compress = promisify(gzip);

/**
 * Opens a client that uses the transport of the official client, without its WriteApi. The WriteApi looks at
 * each character once more, makes batches of its own, hides errors in them, and gives up without an error.
 */
export function openInfluxClient(target: InfluxTarget): InfluxClient {
  const agent = target.baseUrl.startsWith('https:')
    ? new https.Agent({ keepAlive: true, ...trust(target.options.ca, 'influx.caFile') })
    : new http.Agent({ keepAlive: true });
  const { transport } = new InfluxDB({
    url: target.baseUrl,
    // The client's own time-out would report an error and leave the request running. The deadline below ends
    // the request.
    timeout: 0,
    transportOptions: { agent },
    headers: target.authorization === undefined ? {} : { authorization: target.authorization },
  });
  const plain = { 'content-type': 'text/plain; charset=utf-8' };
  return {
    async send(body) {
      const isCompressed = target.gzip && body.length >= LEAST_TO_COMPRESS;
      const bytes = isCompressed ? await compress(body, COMPRESSION) : body;
      const headers = isCompressed ? { ...plain, 'content-encoding': 'gzip' } : plain;
      await post(transport, target, { bytes, headers });
    },
    close: () => agent.destroy(),
  };
}

interface Post {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Posts a body. Only 204 says that everything is stored, or 201 without a text. Some servers of version 3
 * tell by a text that they refused a part. A request ends at its deadline.
 */
function post(
  transport: InfluxDB['transport'],
  { writePath, timeoutMs }: InfluxTarget,
  { bytes, headers }: Post,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // AbortSignal.timeout would keep everything that it is attached to, also bodies, until the time is over.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const { signal } = deadline;
    let status: number | undefined;
    const chunks: Uint8Array[] = [];
    transport.send(
      writePath,
      // The parameter is declared as a string, but the client passes it to `Buffer.from`, which accepts bytes
      // as well.
      bytes as unknown as string,
      { method: 'POST', headers: { ...headers }, signal },
      {
        responseStarted(_, code) {
          status = code;
        },
        next: (chunk) => void chunks.push(chunk),
        error(error) {
          clearTimeout(timer);
          reject(signal.aborted ? new Error(`no complete reply within ${timeoutMs / 1000} s`) : error);
        },
        complete() {
          clearTimeout(timer);
          const text = Buffer.concat(chunks).toString('utf8');
          if (status === 204 || (status === 201 && text === '')) resolve();
          else reject(new HttpError(status ?? 0, 'no acknowledgement', text));
        },
      },
    );
  });
}

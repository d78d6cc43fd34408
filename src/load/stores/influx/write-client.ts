import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HttpError, InfluxDB } from '@influxdata/influxdb-client';
import { trust } from '../../../tls.ts';
import type { InfluxTarget } from './influx-options.ts';

/** Sends one body of line protocol; resolves when the server has acknowledged all of it. */
export interface InfluxClient {
  /** Rejects with an `HttpError` of the official client if a reply came, with another error if none did. */
  send(body: Buffer): Promise<void>;
  /** Ends all connections; what is under way fails. */
  close(): void;
}

/** Smaller bodies are sent as they are. */
const LEAST_TO_COMPRESS = 1_000;
/** Lines of few series compress nearly as well as by the usual level, at a third of its cost. */
const COMPRESSION = { level: 1 };
const compress = promisify(gzip);

/**
 * Sends through the transport of the official client and leaves out its WriteApi: that one looks at each character once more, batches by
 * itself, swallows errors in its batches and gives up silently.
 */
export function openInfluxClient(target: InfluxTarget): InfluxClient {
  const agent = target.baseUrl.startsWith('https:')
    ? new https.Agent({ keepAlive: true, ...trust(target.options.ca, 'influx.caFile') })
    : new http.Agent({ keepAlive: true });
  const { transport } = new InfluxDB({
    url: target.baseUrl,
    // The client's time-out would report an error and leave the request running; the deadline below ends it.
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
 * Only 204 says that everything is stored, or 201 without a text: with one, some servers of version 3 tell that they refused a part. A
 * request ends at its deadline.
 */
function post(
  transport: InfluxDB['transport'],
  { writePath, timeoutMs }: InfluxTarget,
  { bytes, headers }: Post,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // Not AbortSignal.timeout: that one keeps all it is attached to, bodies too, until the time is over.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const { signal } = deadline;
    let status: number | undefined;
    const chunks: Uint8Array[] = [];
    transport.send(
      writePath,
      // Declared as a string, but taken by `Buffer.from`, which takes bytes as well.
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

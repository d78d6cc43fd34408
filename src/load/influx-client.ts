import http from 'node:http';
import https from 'node:https';
import { HttpError, InfluxDB, type Transport } from '@influxdata/influxdb-client';
import type { InfluxTarget } from './influx-options.ts';

/** Sends one body of line protocol; resolves when the server has acknowledged all of it. */
export interface InfluxClient {
  /** Rejects with an `HttpError` of the official client if a reply came, with another error if none did. */
  send(body: string): Promise<void>;
  /** Ends all connections; what is under way fails. */
  close(): void;
}

/**
 * Writes through the official client, with everything that it does by itself switched off: its automatic batches
 * swallow errors, and its retries give up silently. Each request gets a WriteApi of its own (after one failure a
 * WriteApi rejects for good), takes the whole body as one record, and waits for the reply.
 */
export function openInfluxClient(target: InfluxTarget): InfluxClient {
  const Agent = target.baseUrl.startsWith('https:') ? https.Agent : http.Agent;
  const agent = new Agent({ keepAlive: true });
  const connection = {
    url: target.baseUrl,
    // The client's time-out would report an error and leave the request running; the deadline below ends it.
    timeout: 0,
    transportOptions: { agent },
    headers: target.authorization === undefined ? {} : { authorization: target.authorization },
  };
  const transport = makeStrict(new InfluxDB(connection).transport, target.timeoutMs);
  const client = new InfluxDB({ ...connection, transport });
  return {
    async send(body) {
      const api = client.getWriteApi('', '', 'us', {
        batchSize: 2,
        flushInterval: 0,
        maxRetries: 0,
        maxBatchBytes: Number.MAX_SAFE_INTEGER,
        gzipThreshold: target.gzip ? 1_000 : Number.MAX_SAFE_INTEGER,
        // Taking the error here keeps the client from printing it through its logger, which is one for the whole process.
        writeFailed: (error) => Promise.reject(error),
      });
      api.path = target.writePath;
      api.writeRecord(body);
      await api.flush();
    },
    close: () => agent.destroy(),
  };
}

/**
 * The client's own transport, with two changes. A reply 201 with a text is an error: some servers of version 3 answer
 * it when they refused a part, and the client takes it for success. And a request ends at its deadline.
 */
function makeStrict(inner: Transport, timeoutMs: number): Transport {
  return {
    chunkCombiner: inner.chunkCombiner,
    request: inner.request.bind(inner),
    iterate: inner.iterate.bind(inner),
    send(path, body, options, callbacks = {}) {
      // Not AbortSignal.timeout: that one keeps all it is attached to, bodies too, until the time is over.
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      const { signal } = deadline;
      let status: number | undefined;
      const chunks: Uint8Array[] = [];
      inner.send(
        path,
        body,
        { ...options, signal },
        {
          responseStarted(headers, code) {
            status = code;
            callbacks.responseStarted?.(headers, code);
          },
          next: (chunk) => void chunks.push(chunk),
          error(error) {
            clearTimeout(timer);
            const overdue = new Error(`no complete reply within ${timeoutMs / 1000} s`);
            callbacks.error?.(signal.aborted ? overdue : error);
          },
          complete() {
            clearTimeout(timer);
            const body = Buffer.concat(chunks).toString('utf8');
            if (status === 201 && body !== '') callbacks.error?.(new HttpError(201, 'Created', body));
            else callbacks.complete?.();
          },
        },
      );
    },
  };
}

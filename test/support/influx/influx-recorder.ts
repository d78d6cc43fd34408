import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** One request as it came, its body decompressed. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The lines of the body; none for an empty one. */
  readonly lines: readonly string[];
}

export interface RecorderReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON if it is an object. */
  readonly body?: string | object;
}

export type RecorderAnswer = RecorderReply | 'silence' | 'reset';

export interface InfluxRecorder {
  readonly url: string;
  readonly requests: RecordedRequest[];
  /** Requests to a write path. */
  writes(): RecordedRequest[];
  /** Decides what is answered, and when; `'silence'` never answers, `'reset'` cuts the connection. */
  answer: (request: RecordedRequest) => RecorderAnswer | Promise<RecorderAnswer>;
  close(): Promise<void>;
}

/**
 * A server that records what an InfluxDB would receive and answers what a test says; at first 204 to everything.
 * It stands in for the versions of which no server is at hand, with their documented status codes and bodies.
 */
export async function startInfluxRecorder(): Promise<InfluxRecorder> {
  const server = createServer(async (incoming, outgoing) => {
    const raw = await buffer(incoming);
    const body = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8');
    const url = new URL(incoming.url ?? '/', 'http://recorder');
    const request: RecordedRequest = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
      lines: body === '' ? [] : body.split('\n'),
    };
    recorder.requests.push(request);
    const reply = await recorder.answer(request);
    if (reply === 'silence') return;
    if (reply === 'reset') return void incoming.socket.destroy();
    const json = typeof reply.body === 'object';
    outgoing.writeHead(reply.status, {
      ...(json && { 'content-type': 'application/json' }),
      ...reply.headers,
    });
    outgoing.end(json ? JSON.stringify(reply.body) : reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const recorder: InfluxRecorder = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    writes: () => recorder.requests.filter(({ path }) => path.endsWith('/write')),
    answer: () => ({ status: 204 }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return recorder;
}

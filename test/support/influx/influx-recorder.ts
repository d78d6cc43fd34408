import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** One received request, with its body decompressed. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The lines of the body. Empty for an empty body. */
  readonly lines: readonly string[];
}

export interface RecorderReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the answer. An object is sent as JSON. */
  readonly body?: string | object;
}

export type RecorderAnswer = RecorderReply | 'silence' | 'reset';

export interface InfluxRecorder {
  readonly url: string;
  readonly requests: RecordedRequest[];
  /** Returns the requests to a write path. */
  writes(): RecordedRequest[];
  /** Chooses the answer, and its time. `'silence'` never answers, and `'reset'` cuts the connection. */
  answer: (request: RecordedRequest) => RecorderAnswer | Promise<RecorderAnswer>;
  close(): Promise<void>;
}

/**
 * Starts a server that records what an InfluxDB would receive. It answers 204 until a test sets another
 * answer. It stands in for versions without a server at hand, with their documented status codes and bodies.
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

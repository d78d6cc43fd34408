import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A span as OTLP has it in JSON, as far as tests look at it. */
interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { key: string; value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number };
}

/** A span that was received, and the names of the spans around it, innermost first. */
export interface ReceivedSpan {
  readonly name: string;
  readonly around: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

export interface TraceReceiver {
  readonly url: string;
  readonly requests: readonly { path: string; headers: IncomingHttpHeaders; body: string }[];
  spans(): ReceivedSpan[];
  /** Attributes of the processes that sent spans. */
  resources(): Readonly<Record<string, unknown>>[];
}

/** Starts a receiver of OTLP over HTTP. With `hangs` it answers nothing. It is gone when the test ends. */
export async function startTraceReceiver({ hangs = false } = {}): Promise<TraceReceiver> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    if (!hangs) response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const parts = () => requests.flatMap(({ body }) => JSON.parse(body).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      readSpans(parts().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: never) => spans))),
    resources: () => parts().map(({ resource }) => toFacts(resource.attributes)),
  };
}

function readSpans(spans: readonly OtlpSpan[]): ReceivedSpan[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const around = ({ parentSpanId = '' }: OtlpSpan): string[] => {
    const parent = byId.get(parentSpanId);
    return parent === undefined ? [] : [parent.name, ...around(parent)];
  };
  return spans.map((span) => ({
    name: span.name,
    around: around(span),
    facts: toFacts(span.attributes),
    failed: span.status.code === 2,
  }));
}

function toFacts(attributes: OtlpSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

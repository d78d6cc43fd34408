import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { Agent, request } from 'undici';
import { messageOf } from './errors.ts';

/** A receiver that has not answered after this time gets no more of a batch. */
const SEND_TIMEOUT_MS = 10_000;
/** What an exporter tells: the spans are delivered, or they are lost. */
const DELIVERED = { code: 0 };
const LOST = { code: 1 };

export interface SpanExporterOptions {
  /** The whole address, such as `http://localhost:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Is told why spans are lost. */
  readonly onLost: (reason: string) => void;
}

/**
 * Makes an exporter that sends spans as OTLP over HTTP, in JSON. Spans that the receiver does not take are
 * lost. The exporter of OpenTelemetry would try again, and hold up the end of the process meanwhile.
 */
export function createSpanExporter({ url, headers, onLost }: SpanExporterOptions): SpanExporter {
  const agent = new Agent();
  const closing = new AbortController();
  const send = async (body: Uint8Array) => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
    const reply = await request(url, {
      ...{ method: 'POST', body, signal, dispatcher: agent },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    await reply.body.dump();
    if (reply.statusCode >= 300) throw new Error(`HTTP ${reply.statusCode}`);
  };
  return {
    export(spans, done) {
      const body = JsonTraceSerializer.serializeRequest(spans);
      if (body === undefined) return done(DELIVERED);
      send(body).then(
        () => done(DELIVERED),
        (error: unknown) => {
          onLost(messageOf(error));
          done(LOST);
        },
      );
    },
    async shutdown() {
      closing.abort(new Error('the process ends'));
      await agent.destroy();
    },
  };
}

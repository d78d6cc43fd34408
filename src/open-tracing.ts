import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  type Attributes,
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { codeOf } from './errors.ts';
import type { Logger } from './log.ts';
import { createSpanExporter } from './span-exporter.ts';
import type { Span, SpanFacts, Tracing } from './tracing.ts';

export interface TracingOptions {
  /** The whole address of the receiver, such as `http://localhost:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The share of runs that are recorded, from 0 to 1. A run is recorded as a whole, or not at all. */
  readonly sampleShare: number;
  readonly version: string;
  readonly log: Logger;
}

export interface OpenTracing extends Tracing {
  /** Delivers the spans that wait, in the time that an end may take. Spans beyond that are lost. */
  close(): Promise<void>;
}

/** The longest time that the end of the process waits for the receiver. */
const CLOSE_MS = 1_000;

/** Opens tracing by OpenTelemetry. Nothing is global: only the owner of the result makes spans. */
export function openTracing(options: TracingOptions): OpenTracing {
  const { url, headers, log, version, sampleShare } = options;
  const onLost = (reason: string) =>
    log.warn({ receiver: new URL(url).host, reason }, 'traces are lost: their receiver does not take them');
  const exporter = createSpanExporter({ url, headers, onLost });
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleShare) }),
    resource: describeProcess(version),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('plantsync', version);
  const contexts = new AsyncLocalStorage<Context>();
  return {
    async span({ name, facts, isRequest }, work) {
      const around = contexts.getStore() ?? ROOT_CONTEXT;
      const kind = isRequest ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(name, { kind, attributes: toAttributes(facts) }, around);
      try {
        return await contexts.run(trace.setSpan(around, span), () => work(toSpan(span)));
      } catch (error) {
        markFailed(span, codeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      // Lost spans are logged already.
      await Promise.race([provider.forceFlush().catch(() => undefined), patience]);
      clearTimeout(timer);
      await exporter.shutdown();
      await provider.shutdown().catch(() => undefined);
    },
  };
}

/** Describes this process for the receiver. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win. */
function describeProcess(version: string) {
  const own = resourceFromAttributes({
    'service.name': 'plantsync',
    'service.version': version,
    'service.instance.id': `${hostname()}-${process.pid}`,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

function toSpan(span: OtelSpan): Span {
  return {
    note: (facts) => void span.setAttributes(toAttributes(facts)),
    fail: (code) => markFailed(span, code),
  };
}

/** Marks a span with the code alone. Messages of errors may name what only the log should say. */
function markFailed(span: OtelSpan, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span.setAttribute('error.type', code);
}

/** Names that OpenTelemetry has defined contain a dot. All other facts are of plantsync. */
function toAttributes(facts: SpanFacts): Attributes {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name.includes('.') ? name : `plantsync.${name}`, value]),
  );
}

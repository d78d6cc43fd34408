import { formatInstant } from '../series/instant.ts';
import type { Span } from '../tracing.ts';
import type { SyncContext } from './context.ts';

/** The range of a window, and its series if the stream has some. */
interface TracedWindow {
  readonly fromSec: number;
  readonly toSec: number;
  readonly series?: readonly unknown[];
}

/** Reads a window within a span, which tells its range and the number of its series. */
export function traceWindow<T>(
  { tracing }: Pick<SyncContext, 'tracing'>,
  { stream, window }: { readonly stream: string; readonly window: TracedWindow },
  read: (span: Span) => Promise<T>,
): Promise<T> {
  const { fromSec, toSec, series } = window;
  const facts = {
    stream,
    from: formatInstant(fromSec * 1e6),
    to: formatInstant(toSec * 1e6),
    series: series?.length,
  };
  return tracing.span({ name: `window ${stream}`, facts }, read);
}

/** Writes rows of a stream to Postgres within a span, which tells their number. */
export function traceRows<T>(
  { tracing, postgresStore: { kind: store } }: Pick<SyncContext, 'tracing' | 'postgresStore'>,
  facts: { readonly stream: string; readonly rows: number },
  write: () => Promise<T>,
): Promise<T> {
  return tracing.span({ name: `write ${store}`, facts: { store, ...facts } }, write);
}

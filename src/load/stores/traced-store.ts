import type { Tracing } from '../../tracing.ts';
import type { MeteredStreams } from './metered-store.ts';
import type { PointStore } from './store.ts';

/** Returns the store with a span around every write. A span tells counts, and no value. */
export function traceStore(store: PointStore, tracing: Tracing, streams: MeteredStreams): PointStore {
  const trace = <T extends { readonly written: number; readonly refused: readonly unknown[] }>(
    facts: { readonly stream: string; readonly series?: number },
    write: () => Promise<T>,
  ): Promise<T> =>
    tracing.span({ name: `write ${store.kind}`, facts: { store: store.kind, ...facts } }, async (span) => {
      const result = await write();
      span.note({ written: result.written, refused: result.refused.length });
      return result;
    });
  const { events } = store;
  return {
    ...store,
    write: (batch, commit) =>
      trace({ stream: batch.stream, series: batch.series.length }, () => store.write(batch, commit)),
    writePolls: (...polls) =>
      trace({ stream: streams.polls, series: polls[0].length }, () => store.writePolls(...polls)),
    ...(events && {
      events: {
        id: events.id,
        write: (all) => trace({ stream: streams.events }, () => events.write(all)),
      },
    }),
  };
}

import type { Metrics } from '../../metrics.ts';
import type { PointStore } from './store.ts';

/** The names under which points are counted that belong to no stream of history. */
export interface MeteredStreams {
  readonly polls: string;
  readonly events: string;
}

/** Returns the store with a count of every point that it acknowledges, from any writer. */
export function meterStore(store: PointStore, metrics: Metrics, streams: MeteredStreams): PointStore {
  const count = (stream: string, points: number) =>
    metrics.countPoints({ stream, store: store.kind, points });
  const { events } = store;
  return {
    ...store,
    async write(batch, commit) {
      const result = await store.write(batch, commit);
      count(batch.stream, result.written);
      return result;
    },
    async writePolls(...polls) {
      const result = await store.writePolls(...polls);
      count(streams.polls, result.written);
      return result;
    },
    ...(events && {
      events: {
        id: events.id,
        async write(all) {
          const result = await events.write(all);
          count(streams.events, result.written);
          return result;
        },
      },
    }),
  };
}

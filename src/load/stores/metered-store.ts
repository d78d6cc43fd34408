import { codeOf } from '../../errors.ts';
import type { Metrics } from '../../metrics.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { PointStore } from './store.ts';

/** The names under which points are counted that belong to no stream of history. */
export interface MeteredStreams {
  readonly polls: string;
  readonly events: string;
}

interface Written {
  readonly written: number;
  readonly refused: readonly object[];
}

/** Returns the store with counts of its writes, and of every point that it acknowledges, from any writer. */
export function meterStore(store: PointStore, metrics: Metrics, streams: MeteredStreams): PointStore {
  const { kind, events } = store;
  const measure = async <T extends Written>(stream: string, write: () => Promise<T>): Promise<T> => {
    const beganMs = steadyMs();
    const count = (failure: string | undefined, refused: number) =>
      metrics.countWrite({ stream, store: kind, seconds: (steadyMs() - beganMs) / 1000, failure, refused });
    try {
      const result = await write();
      count(undefined, countRefused(result));
      metrics.countPoints({ stream, store: kind, points: result.written });
      return result;
    } catch (error) {
      count(codeOf(error), 0);
      throw error;
    }
  };
  return {
    ...store,
    write: (batch, commit) => measure(batch.stream, () => store.write(batch, commit)),
    writePolls: (...polls) => measure(streams.polls, () => store.writePolls(...polls)),
    ...(events && {
      events: { id: events.id, write: (all) => measure(streams.events, () => events.write(all)) },
    }),
  };
}

/** Counts what a store refused for good. A refused event is one point. */
function countRefused({ refused }: Written): number {
  return refused.reduce((sum, each) => sum + ('count' in each ? Number(each.count) : 1), 0);
}

import type { PointStore } from '../../load/stores/store.ts';
import { toRangeSet } from '../../series/range.ts';
import type { Range, Series } from '../../series/types.ts';
import { rangeOf, type Window } from '../../series/window.ts';
import type { Batch } from '../../series/window-planner.ts';
import type { Destination } from './plan-fill.ts';

/** Windows that were skipped for slow stores. They are read again for these stores alone. */
export class SkippedWindows {
  readonly #byStore = new Map<
    PointStore,
    Map<readonly Series[], { destination: Destination; ranges: Range[] }>
  >();

  add(store: PointStore, window: Window, destination: Destination): void {
    const windows = this.#byStore.get(store) ?? new Map();
    this.#byStore.set(store, windows);
    const known = windows.get(window.series) ?? { destination, ranges: [] };
    windows.set(window.series, known);
    known.ranges.push(rangeOf(window));
  }

  /** Takes the windows that were added since the last call, as batches for one store each. */
  take(): Batch<Destination>[] {
    const batches = [...this.#byStore].flatMap(([store, windows]) =>
      [...windows].map(([series, { destination, ranges }]) => ({
        series,
        missing: toRangeSet(ranges),
        tag: { ...destination, stores: [store] },
        stepSec: destination.stream.stepSec,
      })),
    );
    this.#byStore.clear();
    return batches;
  }
}

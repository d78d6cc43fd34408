import { reasonOf } from '../../errors.ts';
import type { GapGroup } from '../../ledger/gaps-sql.ts';
import type { Claim, Claimant } from '../../ledger/leases/claims.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { alignOutwards, HISTORY, type HistoryStream } from '../../series/history-stream.ts';
import { rangeOf, type Window } from '../../series/window.ts';
import type { PlannedWindow } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import type { Destination } from './plan-fill.ts';

/** For so long windows are gathered before they are given back together; nobody waits for one that is stored. */
const GATHER_MS = 100;

type Planned = PlannedWindow<Destination>;

/** Does the work of a window; `hold` tells it what else to wait for before others may have the window. */
type Work<T> = (left: Planned, hold: (until: Promise<unknown>) => void) => Promise<T>;

/**
 * Keeps fillings that run side by side, in one process or in several, from reading the same windows: a window is claimed until it is read
 * and written, and in that moment the coverage is looked at again, because another filling may have stored it since the plan was made.
 */
export class WindowClaims {
  readonly #ctx: SyncContext;
  readonly #claimant: Claimant;
  #done: number[] = [];
  #release: NodeJS.Timeout | undefined;

  constructor(ctx: SyncContext) {
    this.#ctx = ctx;
    this.#claimant = ctx.ledger.claims.begin();
  }

  /**
   * Does the work with what is left to read of a window; resolves to undefined if that is nothing, and to `'busy'` while another
   * filling reads a part of it. What is read again on purpose is left whole.
   */
  async read<T>(planned: Planned, work: Work<T>): Promise<T | 'busy' | undefined> {
    const { fresh, stream, stores } = planned.batch.tag;
    if (!fresh) return work(planned, () => undefined);
    const taken = await this.#claimant.take(claimOf(stream, planned, stores));
    if (taken === undefined) return 'busy';
    const held: Promise<unknown>[] = [];
    try {
      const left = leftOf(planned, taken.gaps);
      return left && (await work(left, (until) => void held.push(until)));
    } finally {
      // Rows are written while the next window is read.
      void Promise.allSettled(held).then(() => this.#giveBack(taken.id));
    }
  }

  /** Gives back everything; to be called when all that was held is written. */
  async end(): Promise<void> {
    clearTimeout(this.#release);
    await this.#try(this.#claimant.end());
  }

  #giveBack(id: number): void {
    this.#done.push(id);
    this.#release ??= setTimeout(() => {
      const ids = this.#done;
      this.#done = [];
      this.#release = undefined;
      void this.#try(this.#claimant.release(ids));
    }, GATHER_MS);
  }

  /** A claim that cannot be given back ends by itself. */
  async #try(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#ctx.log.debug({ stream: HISTORY, ...reasonOf(error) }, 'a claim was left to end by itself'),
    );
  }
}

/** The series that still lack something, and the stretch around all that they lack; undefined if that is nothing. */
function leftOf(planned: Planned, groups: readonly GapGroup[]): Planned | undefined {
  const gaps = groups.flatMap((group) => group.gaps.flat());
  if (gaps.length === 0) return undefined;
  const ids = new Set(groups.flatMap((group) => group.seriesIds));
  const around = {
    from: Math.min(...gaps.map(({ from }) => from)),
    to: Math.max(...gaps.map(({ to }) => to)),
  };
  const { from, to } = alignOutwards(around, planned.batch.tag.stream.stepSec);
  return {
    ...planned,
    series:
      ids.size === planned.series.length ? planned.series : planned.series.filter(({ id }) => ids.has(id)),
    fromSec: from / 1e6,
    toSec: to / 1e6,
  };
}

/** The claim of whoever is about to read, or to mend, a window of a stream for some stores. */
export function claimOf({ name }: HistoryStream, window: Window, stores: readonly PointStore[]): Claim {
  const seriesIds = window.series.map(({ id }) => id);
  return { stream: name, seriesIds, range: rangeOf(window), stores: stores.map(({ id }) => id) };
}

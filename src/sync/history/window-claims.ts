import { reasonOf } from '../../errors.ts';
import type { GapGroup } from '../../ledger/gaps-sql.ts';
import type { Claim, Claimant } from '../../ledger/leases/claims.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { alignOutwards, HISTORY, type HistoryStream } from '../../series/history-stream.ts';
import { rangeOf, type Window } from '../../series/window.ts';
import type { PlannedWindow } from '../../series/window-planner.ts';
import type { SyncContext } from '../context.ts';
import type { Destination } from './plan-fill.ts';

/**
 * Milliseconds for which claims are gathered before they are released together. Nobody waits for a stored
 * window.
 */
const GATHER_MS = 100;

type Planned = PlannedWindow<Destination>;

/**
 * Does the work of a window. The work calls `hold` with promises; others may not have the window before these
 * settle.
 */
type Work<T> = (left: Planned, hold: (until: Promise<unknown>) => void) => Promise<T>;

/**
 * Keeps fillings that run side by side, in one process or in several, from reading the same windows. A window
 * is claimed until it is read and written. Its coverage is read again with the claim, because another filling
 * may have stored the window since the plan was made.
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
   * Does the work with the part of a window that is still missing. Returns undefined if nothing is missing.
   * Returns `'busy'` while another filling reads a part of the window. A stored window that is read again is
   * left whole, and not claimed.
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
      // The rows are written while the next window is read.
      void Promise.allSettled(held).then(() => this.#giveBack(taken.id));
    }
  }

  /** Releases all claims. Must be called when everything held has settled. */
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

  /** Waits for a release. A claim that cannot be released ends by itself. */
  async #try(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#ctx.log.debug(
        { stream: HISTORY, ...reasonOf(error) },
        'a claim could not be released; it ends by itself',
      ),
    );
  }
}

/**
 * Returns the part of a window that is still missing: the series with gaps, and the range around all gaps.
 * Returns undefined if nothing is missing.
 */
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

/** Makes the claim of a process that is about to read, or to repair, a window of a stream for some stores. */
export function claimOf({ name }: HistoryStream, window: Window, stores: readonly PointStore[]): Claim {
  const seriesIds = window.series.map(({ id }) => id);
  return { stream: name, seriesIds, range: rangeOf(window), stores: stores.map(({ id }) => id) };
}

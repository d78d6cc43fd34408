import { messageOf } from '../errors.ts';
import type { Claim, Claimant } from '../ledger/claims.ts';
import { alignOutwards, HISTORY, type HistoryStream } from '../series/history-stream.ts';
import { rangeOf, type Window } from '../series/window.ts';
import type { PlannedWindow } from '../series/window-planner.ts';
import type { SyncContext } from './context.ts';
import type { Destination } from './plan-fill.ts';

/** Period of the signs of life for what is claimed. */
const RENEW_MS = 20_000;

type Planned = PlannedWindow<Destination>;

/** Does the work of a window; `hold` tells it what else to wait for before others may have the window. */
type Work<T> = (left: Planned, hold: (until: Promise<unknown>) => void) => Promise<T>;

/**
 * Keeps fillings that run side by side, in one process or in several, from reading the same windows: a window is claimed until it is read
 * and written, and before that the coverage is looked at again, because another filling may have stored it since the plan was made.
 */
export class WindowClaims {
  readonly #ctx: SyncContext;
  readonly #claimant: Claimant;
  readonly #beat: NodeJS.Timeout;
  readonly #releases = new Set<Promise<void>>();

  constructor(ctx: SyncContext) {
    this.#ctx = ctx;
    this.#claimant = ctx.ledger.claims.begin();
    this.#beat = setInterval(() => this.#try(this.#claimant.renew()), RENEW_MS).unref();
  }

  /**
   * Does the work with what is left to read of a window; resolves to undefined if that is nothing, and to `'busy'` while another
   * filling reads a part of it. What is read again on purpose is left whole.
   */
  async read<T>(planned: Planned, work: Work<T>): Promise<T | 'busy' | undefined> {
    if (!planned.batch.tag.fresh) return work(planned, () => undefined);
    const claim = claimOf(planned.batch.tag.stream, planned);
    if (!(await this.#claimant.take(claim))) return 'busy';
    const held: Promise<unknown>[] = [];
    try {
      const left = await this.#leftOf(planned);
      return left && (await work(left, (until) => void held.push(until)));
    } finally {
      this.#releaseAfter(claim, held);
    }
  }

  /** Resolves when all that was held is written, and given back. */
  async end(): Promise<void> {
    await Promise.all(this.#releases);
    clearInterval(this.#beat);
    await this.#try(this.#claimant.end());
  }

  /** Nobody waits for it: rows are written while the next window is read. */
  #releaseAfter(claim: Claim, held: readonly Promise<unknown>[]): void {
    const release = Promise.allSettled(held)
      .then(() => this.#try(this.#claimant.release(claim)))
      .finally(() => this.#releases.delete(release));
    this.#releases.add(release);
  }

  /** The series that still lack something, and the stretch around all that they lack. */
  async #leftOf(planned: Planned): Promise<Planned | undefined> {
    const { stream, seriesIds, range } = claimOf(planned.batch.tag.stream, planned);
    const stores = planned.batch.tag.stores.map(({ id }) => id);
    const groups = await this.#ctx.ledger.coverage.readGaps({ stream, stores, seriesIds, wanted: [range] });
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

  /** A claim that cannot be given back ends by itself. */
  async #try(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#ctx.log.debug({ stream: HISTORY, reason: messageOf(error) }, 'a claim was left to end by itself'),
    );
  }
}

/** The claim of whoever is about to read, or to mend, a window of a stream. */
export function claimOf({ name }: HistoryStream, window: Window): Claim {
  return { stream: name, seriesIds: window.series.map(({ id }) => id), range: rangeOf(window) };
}

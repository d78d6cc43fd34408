import type { Config } from '../config/config-schema.ts';
import type { Cooldown } from '../extract/cooldown.ts';
import type { CurrentReader } from '../extract/current-reader.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PointStore } from '../load/stores/store.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Platform, Priority } from '../platform/platform.ts';
import type { Database } from '../postgres/connect.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { alignDown } from '../series/history-stream.ts';
import type { InstantParser } from '../series/instant.ts';
import type { Tracing } from '../tracing.ts';
import type { PollKeeper } from './polls/poll-keeper.ts';
import type { Progress } from './progress.ts';
import type { SeriesCatalog, ToldEmpty } from './selection/series-catalog.ts';

/**
 * What all runs work with: configuration, connections, stores and clocks. The caller opens the context and
 * closes it.
 */
export interface SyncContext {
  /** Version of the program. */
  readonly version: string;
  readonly config: Config;
  readonly platform: Platform;
  readonly db: Database;
  readonly schemas: Schemas;
  readonly ledger: Ledger;
  /** Postgres as a store of points. Polls go to Postgres in any case. */
  readonly postgresStore: PointStore;
  /** Stores of history: Postgres (unless `postgres.samples` is off) and the other configured stores. */
  readonly stores: readonly PointStore[];
  readonly parseInstant: InstantParser;
  readonly currentReader: CurrentReader;
  /** Writes polls to Postgres, or keeps them while Postgres is away. */
  readonly polls: PollKeeper;
  /** Numbers of the series with `onlyChanges` of which this process has polled a value. */
  readonly polledBefore: Set<number>;
  /** What this process has logged about selections without series, by purpose and place of the selection. */
  readonly toldEmpty: Map<string, ToldEmpty>;
  /** Series whose history could not be read lately, by stream and series number: `history 17`. */
  readonly seriesCooldown: Cooldown<string>;
  /** The series that the configuration selects. */
  readonly catalog: SeriesCatalog;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly progress: Progress;
  /** Clock of this machine, in epoch microseconds. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
  /**
   * Priority of the requests for history; `sync` if not given. Requests of a backfill let all others go
   * first.
   */
  readonly priority?: Priority;
}

/**
 * Returns the end of the settled data (epoch microseconds), which is read for good. The end is `settleMs`
 * before the platform's now, rounded down to a multiple of `stepSec`.
 */
export function settledHead(
  ctx: Pick<SyncContext, 'clock' | 'platform'>,
  settleMs: number,
  stepSec = 1,
): number {
  return alignDown(platformNow(ctx) - settleMs * 1000, stepSec);
}

/**
 * Returns the earlier of this machine's time and the platform's time (epoch microseconds). The platform may
 * still lack data of a later time.
 */
export function platformNow(ctx: Pick<SyncContext, 'clock' | 'platform'>): number {
  return ctx.clock() + Math.min(0, ctx.platform.clockSkewMs() ?? 0) * 1000;
}

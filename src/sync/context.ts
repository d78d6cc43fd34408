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
import type { PollKeeper } from './polls/poll-keeper.ts';
import type { Progress } from './progress.ts';
import type { SeriesCatalog, ToldEmpty } from './selection/series-catalog.ts';

/** Everything the stories work with; opened, and closed again, by whoever runs them. */
export interface SyncContext {
  readonly config: Config;
  readonly platform: Platform;
  readonly db: Database;
  readonly schemas: Schemas;
  readonly ledger: Ledger;
  /** Postgres as a store of points: it always gets the polls. */
  readonly postgresStore: PointStore;
  /** Where history goes: Postgres (unless `postgres.samples` is off) and InfluxDB (if configured). */
  readonly stores: readonly PointStore[];
  readonly parseInstant: InstantParser;
  readonly currentReader: CurrentReader;
  /** Brings polls to Postgres, or keeps them until it is back. */
  readonly polls: PollKeeper;
  /** Series with `onlyChanges` of which this process has seen a value, by number. */
  readonly polledBefore: Set<number>;
  /** What this process has logged of selections without series. */
  readonly toldEmpty: Map<string, ToldEmpty>;
  /** Series whose history cannot be read for now, by the stream and their number: `history 17`. */
  readonly seriesCooldown: Cooldown<string>;
  /** The series that the configuration selects. */
  readonly catalog: SeriesCatalog;
  readonly log: Logger;
  /** Counts what is done. */
  readonly metrics: Metrics;
  readonly progress: Progress;
  /** Our clock, epoch microseconds. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
  /** Of the requests for history: those of a backfill let all others go first. `sync` if not given. */
  readonly priority?: Priority;
}

/** The end of what is read for good, so long before now; a multiple of so many seconds, epoch microseconds. */
export function settledHead(ctx: SyncContext, settleMs: number, stepSec = 1): number {
  return alignDown(platformNow(ctx) - settleMs * 1000, stepSec);
}

/** Now by the earlier of our clock and the platform's, epoch microseconds: data later than it may still be missing there. */
export function platformNow(ctx: Pick<SyncContext, 'clock' | 'platform'>): number {
  return ctx.clock() + Math.min(0, ctx.platform.clockSkewMs() ?? 0) * 1000;
}

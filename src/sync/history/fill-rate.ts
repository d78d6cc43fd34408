import type { HistoryStream } from '../../series/history-stream.ts';
import type { SyncContext } from '../context.ts';

/** Under this key the ledger has how fast raw history was filled. */
const RATE = 'history-pace';
/** Fewer rows say little. */
const MIN_ROWS = 100;
/** A run counts if it read at least this share of what the one that is known read: the rate of a short one is no rate. */
const MIN_SHARE = 0.1;
const MAX_AGE_US = 7 * 86_400e6;

/** What one filling did; it is added to while windows are read. */
export interface Tally {
  requests: number;
  rows: number;
  /** Seconds of time read, for each series. */
  seriesSec: number;
}

/** How dense history is, and how fast it was filled: what estimates are made of. */
export interface FillRate {
  readonly rowsPerSeriesHour: number;
  readonly rowsPerRequest: number;
  readonly rowsPerSec: number;
  /** Rows that it was found with. */
  readonly rows: number;
  /** Epoch microseconds. */
  readonly at: number;
}

/** The rate of earlier fillings of a stream; undefined if none read enough to tell. */
export type RateOf = (stream: HistoryStream) => FillRate | undefined;

/** The rate of earlier fillings. */
export async function loadRates(ctx: SyncContext): Promise<RateOf> {
  const kept = await ctx.ledger.platformFacts.load(ctx.config.platform.baseUrl);
  return (stream) => {
    const rate = kept.get(rateKeyOf(stream));
    return isRate(rate) ? rate : undefined;
  };
}

/** Keeps what a filling of streams with the same step showed that took so many seconds. */
export async function keepRate(
  ctx: SyncContext,
  stream: HistoryStream,
  { tally, seconds }: { tally: Tally; seconds: number },
): Promise<void> {
  const known = (await loadRates(ctx))(stream);
  const isOld = known === undefined || Math.abs(ctx.clock() - known.at) > MAX_AGE_US;
  if (tally.rows < Math.max(MIN_ROWS, isOld ? 0 : known.rows * MIN_SHARE)) return;
  const rate: FillRate = {
    rowsPerSeriesHour: (tally.rows * 3600) / Math.max(tally.seriesSec, 1),
    rowsPerRequest: tally.rows / Math.max(tally.requests, 1),
    rowsPerSec: tally.rows / Math.max(seconds, 0.001),
    rows: tally.rows,
    at: ctx.clock(),
  };
  await ctx.ledger.platformFacts.save(ctx.config.platform.baseUrl, rateKeyOf(stream), rate);
}

/** Apart for each length of buckets, since so many rows there are at most in an hour. */
function rateKeyOf({ aggregate }: HistoryStream): string {
  return aggregate === undefined ? RATE : `${RATE}/${aggregate.periodSec}s`;
}

function isRate(value: unknown): value is FillRate {
  return typeof value === 'object' && value !== null && 'rowsPerSeriesHour' in value && 'rowsPerSec' in value;
}

import type { HistoryStream } from '../../series/history-stream.ts';
import type { SyncContext } from '../context.ts';

/** Key under which the ledger keeps the rate of raw history. */
const RATE = 'history-pace';
/** Fewer rows say little about a rate. */
const MIN_ROWS = 100;
/**
 * A filling counts if it read at least this share of the rows behind the known rate. Short fillings show no
 * true rate.
 */
const MIN_SHARE = 0.1;
const MAX_AGE_US = 7 * 86_400e6;

/** Sums of what one filling did. They grow while windows are read. */
export interface Tally {
  requests: number;
  rows: number;
  /** Seconds of time that were read, added up over the series. */
  seriesSec: number;
}

/** How dense history is, and how fast it was filled. Estimates are made of these numbers. */
export interface FillRate {
  readonly rowsPerSeriesHour: number;
  readonly rowsPerRequest: number;
  readonly rowsPerSec: number;
  /** Rows that the rate was found with. */
  readonly rows: number;
  /** When the rate was found, in epoch microseconds. */
  readonly at: number;
}

/** Returns the rate of earlier fillings of a stream. Returns undefined if none read enough to tell. */
export type RateOf = (stream: HistoryStream) => FillRate | undefined;

/** Loads the rates of earlier fillings. */
export async function loadRates(ctx: SyncContext): Promise<RateOf> {
  const kept = await ctx.ledger.platformFacts.load(ctx.config.platform.baseUrl);
  return (stream) => {
    const rate = kept.get(rateKeyOf(stream));
    return isRate(rate) ? rate : undefined;
  };
}

/** Keeps the rate of a filling of streams with the same step. A filling with too few rows is ignored. */
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

/**
 * Returns the key of a stream's rate. Aggregates of one period share a rate, since the period limits their
 * rows per hour.
 */
function rateKeyOf({ aggregate }: HistoryStream): string {
  return aggregate === undefined ? RATE : `${RATE}/${aggregate.periodSec}s`;
}

function isRate(value: unknown): value is FillRate {
  return typeof value === 'object' && value !== null && 'rowsPerSeriesHour' in value && 'rowsPerSec' in value;
}

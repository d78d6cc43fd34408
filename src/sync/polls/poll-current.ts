import type { Selection } from '../../config/config-schema.ts';
import type { PolledValue } from '../../extract/current-reader.ts';
import { createTyper } from '../../normalize/normalize-points.ts';
import { confirmFence } from '../../postgres/fence.ts';
import { type SeriesPoints, seriesName } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { plural } from '../count-text.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { noteSelection, noteSelections } from '../selection/note-selection.ts';
import { nameOfSelection, type SelectedSeries } from '../selection/series-catalog.ts';
import { CURRENT } from '../stream-names.ts';
import { tryLedger } from '../try-ledger.ts';
import type { KeptPoll } from './poll-buffer.ts';
import { describeLost } from './poll-keeper.ts';

/** Microseconds that a stated time may be ahead of the platform's clock. */
const FUTURE_US = 60e6;

export interface PollOrder {
  /** Selection whose series are polled; all selections if not given. */
  readonly selection?: Selection | undefined;
  /** Polls that were due before this one and did not run, because an earlier poll took too long. */
  readonly skipped?: number;
}

/**
 * Polls the current values of one selection, or of all. One transaction of Postgres stores the values, and
 * the outbox entries for the other stores (`deliverPolls`). So an outage of another store neither loses nor
 * delays a poll. While Postgres is away, polls wait in memory.
 */
export async function pollCurrent(
  context: SyncContext,
  { selection, skipped = 0 }: PollOrder = {},
): Promise<RunSummary> {
  const run = { stream: CURRENT, kind: kindOfPoll(selection), outlastsLedger: true };
  return recordRun(context, run, async (summary, ctx) => {
    if (skipped > 0) noteSkipped(ctx, summary, skipped);
    const selected = await selectInTime(ctx, selection);
    await tryLedger(ctx, () =>
      selection === undefined
        ? noteSelections(ctx, summary, { purpose: 'current' })
        : noteSelection(ctx, summary, { selection, purpose: 'current' }),
    );
    const poll = await ctx.currentReader.read(
      ctx,
      selected.flatMap(({ series }) => series),
    );
    // A process that stood still does not know when it got its values.
    await confirmFence();
    summary.records = poll.values.length;
    noteMissing(
      summary,
      poll.missing.map(({ series, reason }) => ({ name: seriesName(series), object: series.object, reason })),
    );
    const sparing = new Set(
      selected
        .filter((each) => each.selection.current.onlyChanges)
        .flatMap(({ series }) => series.map(({ id }) => id)),
    );
    await keepPoll(ctx, summary, dividePoll(ctx, poll.values, sparing));
  });
}

/** Selects the series. Takes the series that were known last if Postgres does not answer in time. */
async function selectInTime(ctx: SyncContext, only: Selection | undefined): Promise<SelectedSeries[]> {
  const { catalog } = ctx;
  const selections = ctx.config.runtime.filter(
    (each) => each.current.enabled && (only === undefined || each === only),
  );
  const selected: SelectedSeries[] = [];
  for (const selection of selections) {
    const select = () => catalog.seriesOf(selection);
    const before = catalog.seriesBefore(selection);
    // The first selection may be long work: Postgres is not away because of it.
    const series = before === undefined ? await select() : ((await tryLedger(ctx, select)) ?? before);
    selected.push({ selection, series });
  }
  return selected;
}

/**
 * Divides a poll into values that are stored in any case, and repeats. Only changes are stored of the series
 * in `sparing`, except for the first value that this process sees.
 */
function dividePoll(
  ctx: SyncContext,
  values: readonly PolledValue[],
  sparing: ReadonlySet<number>,
): KeptPoll {
  const poll = { points: [] as SeriesPoints[], repeats: [] as SeriesPoints[] };
  for (const value of values) {
    const { id } = value.series;
    const isRepeat = sparing.has(id) && ctx.polledBefore.has(id);
    poll[isRepeat ? 'repeats' : 'points'].push(toPoint(ctx, value));
    if (sparing.has(id)) ctx.polledBefore.add(id);
  }
  return poll;
}

async function keepPoll(ctx: SyncContext, summary: RunSummary, poll: KeptPoll): Promise<void> {
  const kept = await ctx.polls.keep(poll);
  if ('written' in kept) summary.points[ctx.postgresStore.kind] = kept.written;
  else {
    const dropped = kept.dropped === undefined ? '' : `; ${describeLost(kept.dropped, 'dropped')}`;
    summary.problems.push(
      `${kept.reason}; ${plural(kept.waiting, 'poll waits', 'polls wait')} in memory${dropped}`,
    );
  }
  const lost = ctx.polls.takeLoss();
  if (lost !== undefined)
    summary.problems.push(
      `${describeLost(lost, 'lost')}: PostgreSQL was away for longer than the memory for polls lasts (limits.pollBufferValues, pollBufferBytes)`,
    );
}

function noteSkipped(ctx: SyncContext, summary: RunSummary, skipped: number): void {
  summary.skippedPolls = skipped;
  const sentence = `${plural(skipped, 'poll')} did not run, because an earlier poll took longer than its period`;
  summary.notes.push(sentence);
  ctx.log.warn({ stream: CURRENT }, sentence);
}

/** Returns the kind of a run in the ledger, by which the service finds when a poll was last done. */
export function kindOfPoll(selection: Selection | undefined): string {
  return selection === undefined ? 'poll' : `poll ${nameOfSelection(selection)}`;
}

/** Adds one problem for each object that cannot be read, not one for each of its properties. */
function noteMissing(
  summary: RunSummary,
  missing: readonly { name: string; object: string; reason: string }[],
): void {
  const byObject = new Map<string, { object: string; name: string; reason: string; count: number }>();
  for (const each of missing) {
    const key = `${each.object}\n${each.reason}`;
    byObject.set(key, { ...each, count: (byObject.get(key)?.count ?? 0) + 1 });
  }
  for (const { object, name, reason, count } of byObject.values()) {
    summary.problems.push(
      `${count === 1 ? name : `${count} properties of ${object}`} cannot be read: ${reason}`,
    );
  }
}

function toPoint(ctx: SyncContext, { series, current }: PolledValue): SeriesPoints {
  const { value, text, quality } = createTyper(series.primitiveType)(current.value);
  return { series, times: [timeOf(ctx, current.time)], values: [value], texts: [text], qualities: [quality] };
}

/**
 * Returns the time that the reply states, or else the time of receipt. A time in the future would hide all
 * later polls, so it is not taken.
 */
function timeOf(ctx: SyncContext, stated: unknown): number {
  const time = stated === undefined || stated === null ? Number.NaN : ctx.parseInstant(stated);
  const latest = ctx.clock() + Math.max(0, ctx.platform.clockSkewMs() ?? 0) * 1000 + FUTURE_US;
  return time <= latest ? time : ctx.clock();
}

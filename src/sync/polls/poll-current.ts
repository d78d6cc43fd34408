import type { Selection } from '../../config/config-schema.ts';
import type { SyncContext } from '../context.ts';
import { plural } from '../count-text.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { noteSelected } from '../selection/note-selection.ts';
import { nameOfSelection, type SelectedSeries } from '../selection/series-catalog.ts';
import { CURRENT } from '../stream-names.ts';
import { tryLedger } from '../try-ledger.ts';
import { PollInPortions } from './poll-in-portions.ts';

export interface PollOrder {
  /** Selection whose series are polled; all selections if not given. */
  readonly selection?: Selection | undefined;
  /** Polls that were due before this one and did not run, because an earlier poll took too long. */
  readonly skipped?: number;
}

/**
 * Polls the current values of one selection, or of all, in portions. One transaction of Postgres stores the
 * values of a portion, and their outbox entries for the other stores (`deliverPolls`). So an outage of
 * another store neither loses nor delays a poll. While Postgres is away, polls wait in memory.
 */
export async function pollCurrent(
  context: SyncContext,
  { selection, skipped = 0 }: PollOrder = {},
): Promise<RunSummary> {
  const run = { stream: CURRENT, kind: kindOfPoll(selection), outlastsLedger: true };
  return recordRun(context, run, async (summary, ctx) => {
    if (skipped > 0) noteSkipped(ctx, summary, skipped);
    const selected = await selectInTime(ctx, selection);
    const noteLeftOut = await tryLedger(ctx, () =>
      noteSelected(ctx, summary, { selection, purpose: 'current' }),
    );
    const sparing = new Set(
      selected
        .filter((each) => each.selection.current.onlyChanges)
        .flatMap(({ series }) => series.map(({ id }) => id)),
    );
    const poll = new PollInPortions(ctx, summary, sparing);
    const series = selected.flatMap((each) => each.series);
    await poll.keepAll(ctx.currentReader.read(ctx, series));
    if (noteLeftOut) await tryLedger(ctx, noteLeftOut);
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

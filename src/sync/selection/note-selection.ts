import type { Selection } from '../../config/config-schema.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import { tryLedger } from '../try-ledger.ts';
import { explainSelection, explainSelections, hasReadable, type Purpose } from './empty-selection.ts';
import { describeLeftOut } from './left-out.ts';
import type { SeriesFilter } from './series-filter.ts';

type Question = SeriesFilter & { readonly purpose: Purpose };
/** Notes the properties that no selection reads. Undefined where they are no matter of the run. */
type NoteLeftOut = (() => Promise<void>) | undefined;

/**
 * Notes in the summary of a run why nothing is selected: by one selection of a job, or by all of a command.
 * What it resolves to is called once the run has read.
 */
export async function noteSelected(
  ctx: SyncContext,
  summary: RunSummary,
  { selection, ...question }: Question & { readonly selection?: Selection | undefined },
): Promise<NoteLeftOut> {
  if (selection === undefined) return noteSelections(ctx, summary, question);
  await noteSelection(ctx, summary, { selection, purpose: question.purpose });
  return undefined;
}

/**
 * Notes in the summary of a command why nothing is selected. This is a problem, unless the platform has
 * nothing to select. Single selections without series are a note. What no selection reads is counted
 * meanwhile, since very many properties take a second. It matters only where the command reads all series.
 */
async function noteSelections(
  ctx: SyncContext,
  summary: RunSummary,
  question: Question,
): Promise<NoteLeftOut> {
  const isNarrow = question.objects !== undefined || question.properties !== undefined;
  const counting = isNarrow ? undefined : ctx.catalog.countLeftOut();
  // A command that fails before it asks for the numbers tells of its own failure.
  counting?.catch(() => undefined);
  const { nothing, empty } = await explainSelections(ctx, question);
  if (nothing?.isFault) summary.problems.push(nothing.sentence);
  else if (nothing !== undefined) summary.notes.push(`nothing to read: ${nothing.sentence}`);
  else summary.notes.push(...empty);
  if (counting === undefined) return undefined;
  return async () => {
    summary.notes.push(...describeLeftOut(await counting));
  };
}

/**
 * Notes in the summary of a job why its selection has no series. The job comes again soon, so the log gets
 * the reason only when it changes.
 */
async function noteSelection(
  ctx: SyncContext,
  summary: RunSummary,
  { selection, purpose }: { selection: Selection; purpose: Purpose },
): Promise<void> {
  const { edition } = ctx.catalog;
  const key = `${purpose} ${ctx.config.runtime.indexOf(selection)}`;
  const told = ctx.toldEmpty.get(key);
  if (await hasReadable(ctx, { selection, purpose })) {
    ctx.toldEmpty.delete(key);
    return;
  }
  if (told?.of === edition) {
    summary.notes.push(told.sentence);
    return;
  }
  const emptiness = await tryLedger(ctx, () => explainSelection(ctx, { selection, purpose }));
  if (emptiness === undefined) return;
  const { sentence, isFault } = emptiness;
  summary.notes.push(sentence);
  ctx.toldEmpty.set(key, { of: edition, sentence });
  if (told?.sentence === sentence) return;
  ctx.log[isFault ? 'warn' : 'info']({ stream: summary.stream }, `nothing to read: ${sentence}`);
}

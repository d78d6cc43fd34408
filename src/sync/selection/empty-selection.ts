import type { Selection } from '../../config/config-schema.ts';
import { countRowsOf } from '../../load/rows/count-rows.ts';
import { type ListedProperty, readProperties } from '../../load/rows/read-properties.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { objects } from '../../streams/objects.ts';
import type { SyncContext } from '../context.ts';
import { formatCount, plural } from '../count-text.ts';
import { settingsOf } from '../stream-settings.ts';
import { seriesOf, streamsOf } from './history-streams.ts';
import { wasRead } from './needed-first.ts';
import { matchSeries } from './select-series.ts';
import type { SelectedSeries, SeriesFilter } from './series-catalog.ts';

/** What a command reads of the selections: history, or current values. */
export type Purpose = 'history' | 'current';

/** The reason why a command has no series to read. */
export interface Emptiness {
  readonly sentence: string;
  /** False if the platform itself has nothing that could be selected. */
  readonly isFault: boolean;
}

export interface EmptyQuestion extends SeriesFilter {
  readonly purpose: Purpose;
}

/** Tells which selections are empty: all of them, or some. */
export interface SelectionReport {
  /** Undefined if any series is selected. */
  readonly nothing: Emptiness | undefined;
  /** One sentence for each selection without a series. */
  readonly empty: string[];
}

/** Looks for selections without series, and finds out why these have none. */
export async function explainSelections(ctx: SyncContext, question: EmptyQuestion): Promise<SelectionReport> {
  const { purpose, ...filter } = question;
  const isOn = ({ selection }: SelectedSeries) => selection[purpose].enabled;
  const selected = (await ctx.catalog.select(filter)).filter(isOn);
  if (selected.length === 0) {
    const sentence = `no selection under "runtime" has ${purpose} switched on`;
    return { nothing: { sentence, isFault: true }, empty: [] };
  }
  const vain = selected.filter((each) => countReadable(purpose, each) === 0);
  if (vain.length === 0) return { nothing: undefined, empty: [] };
  if (vain.length < selected.length && isNarrowed(filter)) return { nothing: undefined, empty: [] };
  const known = await readKnown(ctx);
  const all = (await ctx.catalog.select()).filter(isOn);
  const lack = known.properties.length === 0 ? await explainLack(ctx, known) : undefined;
  const explain = (each: SelectedSeries) => explainOne(ctx, { each, purpose, known, lack });
  if (vain.length < selected.length) return { nothing: undefined, empty: vain.map(explain) };
  const total = all.reduce((sum, each) => sum + countReadable(purpose, each), 0);
  if (isNarrowed(filter) && total > 0) {
    const asked = `--object ${filter.objects ?? '*'} --property ${filter.properties ?? '*'}`;
    const sentence = `no series with ${purpose} matches ${asked}; ${plural(total, 'series', 'series')} ${total === 1 ? 'is' : 'are'} selected under "runtime", ${describeKnown(known)}`;
    return { nothing: { sentence, isFault: true }, empty: [] };
  }
  const sentence = lack?.sentence ?? all.map(explain).join('; ');
  return { nothing: { sentence, isFault: lack?.isFault ?? true }, empty: all.map(explain) };
}

/** Explains why one selection has no series. */
export async function explainSelection(
  ctx: SyncContext,
  { each, purpose }: { each: SelectedSeries; purpose: Purpose },
): Promise<Emptiness> {
  const known = await readKnown(ctx);
  const lack = known.properties.length === 0 ? await explainLack(ctx, known) : undefined;
  return { sentence: explainOne(ctx, { each, purpose, known, lack }), isFault: lack?.isFault ?? true };
}

/** Counts the series of a selection that can be read. An aggregate may rule all of them out. */
export function countReadable(purpose: Purpose, { selection, series }: SelectedSeries): number {
  if (purpose === 'current') return series.length;
  return Math.max(0, ...streamsOf(selection.history).map((stream) => seriesOf(stream, series).length));
}

interface Known {
  readonly objects: number;
  readonly properties: readonly ListedProperty[];
}

async function readKnown(ctx: SyncContext): Promise<Known> {
  const table = { schema: ctx.schemas.data, table: objects.name, sinceUs: ctx.clock() };
  const counts = await countRowsOf(ctx.db, table);
  return { objects: counts?.live ?? 0, properties: await readProperties(ctx.db, ctx.schemas.data) };
}

/** Explains why no property is known. */
async function explainLack(ctx: SyncContext, known: Known): Promise<Emptiness> {
  const isOff = [objects, objectProperties].find((stream) => !settingsOf(ctx.config, stream).enabled);
  if (!(await wasRead(ctx, objectProperties))) {
    const why =
      isOff === undefined
        ? 'run "plantsync sync objects object_properties"'
        : `streams.${isOff.name} is off: switch it on, or name objects and properties in full under "runtime"`;
    return { sentence: `no series is known, since object_properties was never read; ${why}`, isFault: true };
  }
  if (known.objects > 0)
    return {
      sentence: `none of the platform's ${plural(known.objects, 'object')} has a property`,
      isFault: false,
    };
  const isFiltered = settingsOf(ctx.config, objects).filter !== null;
  return isFiltered
    ? { sentence: 'no object passes streams.objects.filter', isFault: true }
    : { sentence: 'the platform has no objects', isFault: false };
}

interface OneQuestion {
  readonly each: SelectedSeries;
  readonly purpose: Purpose;
  readonly known: Known;
  readonly lack: Emptiness | undefined;
}

function explainOne(ctx: SyncContext, { each, purpose, known, lack }: OneQuestion): string {
  const { selection, series } = each;
  const { objects: object, properties: property } = selection;
  const name = `selection ${numberOf(ctx, selection)} (objects "${object}", properties "${property}")`;
  if (series.length > 0 && purpose === 'history')
    return `${name} has no series of numbers for its aggregate, but ${plural(series.length, 'other series', 'other series')}`;
  const why = lack?.sentence ?? explainMatches(selection, known);
  return `no series matches ${name}: ${why}`;
}

function explainMatches(selection: Selection, known: Known): string {
  const matching = known.properties.filter(matchSeries(selection));
  if (matching.length === 0) return describeKnown(known);
  const usable = matching.filter(({ recorded }) => recorded || selection.recorded === 'any');
  if (usable.length === 0)
    return `${plural(matching.length, 'property', 'properties')} match, none of them persisted or logged ("recorded: any" reads them)`;
  return `earlier selections take all ${plural(usable.length, 'property', 'properties')} that match`;
}

function describeKnown({ objects: count, properties }: Known): string {
  const recorded = properties.filter((each) => each.recorded).length;
  return (
    `the platform has ${plural(count, 'object')} with ${plural(properties.length, 'property', 'properties')}, ` +
    `${formatCount(recorded)} of them persisted or logged`
  );
}

function numberOf({ config }: SyncContext, selection: Selection): number {
  return config.runtime.indexOf(selection) + 1;
}

function isNarrowed({ objects: object, properties: property }: SeriesFilter): boolean {
  return object !== undefined || property !== undefined;
}

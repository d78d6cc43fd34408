import type { Selection } from '../../config/config-schema.ts';
import { countRowsOf } from '../../load/rows/count-rows.ts';
import type { Series } from '../../series/types.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { objects } from '../../streams/objects.ts';
import type { SyncContext } from '../context.ts';
import { formatCount, plural } from '../count-text.ts';
import { settingsOf } from '../stream-settings.ts';
import { seriesOf, streamsOf } from './history-streams.ts';
import { wasRead } from './needed-first.ts';
import { isNarrowed, type SeriesFilter } from './series-filter.ts';

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
  const selections = ctx.config.runtime.filter((selection) => selection[purpose].enabled);
  if (selections.length === 0) {
    const sentence = `no selection under "runtime" has ${purpose} switched on`;
    return { nothing: { sentence, isFault: true }, empty: [] };
  }
  const vain: Selection[] = [];
  for (const selection of selections)
    if (!(await hasReadable(ctx, { selection, purpose, ...filter }))) vain.push(selection);
  if (vain.length === 0) return { nothing: undefined, empty: [] };
  if (vain.length < selections.length && isNarrowed(filter)) return { nothing: undefined, empty: [] };
  const known = await readKnown(ctx);
  const lack = known.properties === 0 ? await explainLack(ctx, known) : undefined;
  const explain = async (some: readonly Selection[]) => {
    const sentences: string[] = [];
    for (const selection of some) sentences.push(await explainOne(ctx, { selection, purpose, known, lack }));
    return sentences;
  };
  if (vain.length < selections.length) return { nothing: undefined, empty: await explain(vain) };
  const total = isNarrowed(filter) ? await countReadable(ctx, purpose) : 0;
  if (total > 0) {
    const asked = `--object ${filter.objects ?? '*'} --property ${filter.properties ?? '*'}`;
    const sentence = `no series with ${purpose} matches ${asked}; ${plural(total, 'series', 'series')} ${total === 1 ? 'is' : 'are'} selected under "runtime", ${describeKnown(known)}`;
    return { nothing: { sentence, isFault: true }, empty: [] };
  }
  const empty = await explain(selections);
  return { nothing: { sentence: lack?.sentence ?? empty.join('; '), isFault: lack?.isFault ?? true }, empty };
}

/** Explains why one selection has no series. */
export async function explainSelection(
  ctx: SyncContext,
  { selection, purpose }: { selection: Selection; purpose: Purpose },
): Promise<Emptiness> {
  const known = await readKnown(ctx);
  const lack = known.properties === 0 ? await explainLack(ctx, known) : undefined;
  const sentence = await explainOne(ctx, { selection, purpose, known, lack });
  return { sentence, isFault: lack?.isFault ?? true };
}

/** Tells whether a selection has series that can be read. An aggregate may rule all of them out. */
export async function hasReadable(
  ctx: Pick<SyncContext, 'catalog'>,
  { selection, purpose, ...filter }: EmptyQuestion & { readonly selection: Selection },
): Promise<boolean> {
  for await (const part of ctx.catalog.read(selection, filter))
    if (countIn(part, selection, purpose) > 0) return true;
  return false;
}

/** Counts the series of all selections that can be read. */
async function countReadable(ctx: SyncContext, purpose: Purpose): Promise<number> {
  let count = 0;
  for (const selection of ctx.config.runtime.filter((each) => each[purpose].enabled))
    for await (const part of ctx.catalog.read(selection)) count += countIn(part, selection, purpose);
  return count;
}

function countIn(series: readonly Series[], selection: Selection, purpose: Purpose): number {
  if (purpose === 'current') return series.length;
  return Math.max(0, ...streamsOf(selection.history).map((stream) => seriesOf(stream, series).length));
}

interface Known {
  readonly objects: number;
  readonly properties: number;
  readonly recorded: number;
}

async function readKnown(ctx: SyncContext): Promise<Known> {
  const table = { schema: ctx.schemas.data, table: objects.name, sinceUs: ctx.clock() };
  const counts = await countRowsOf(ctx.db, table);
  const { listed, recorded } = await ctx.catalog.countListed();
  return { objects: counts?.live ?? 0, properties: listed, recorded };
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
  readonly selection: Selection;
  readonly purpose: Purpose;
  readonly known: Known;
  readonly lack: Emptiness | undefined;
}

async function explainOne(
  ctx: SyncContext,
  { selection, purpose, known, lack }: OneQuestion,
): Promise<string> {
  const { objects: object, properties: property } = selection;
  const name = `selection ${numberOf(ctx, selection)} (objects "${object}", properties "${property}")`;
  const count = purpose === 'history' ? await ctx.catalog.count(selection) : 0;
  if (count > 0)
    return `${name} has no series of numbers for its aggregate, but ${plural(count, 'other series', 'other series')}`;
  const why = lack?.sentence ?? (await explainMatches(ctx, selection, known));
  return `no series matches ${name}: ${why}`;
}

async function explainMatches(ctx: SyncContext, selection: Selection, known: Known): Promise<string> {
  const { matching, usable } = await ctx.catalog.countMatching(selection);
  if (matching === 0) return describeKnown(known);
  if (usable === 0)
    return `${plural(matching, 'property', 'properties')} match, none of them persisted or logged ("recorded: any" reads them)`;
  return `earlier selections take all ${plural(usable, 'property', 'properties')} that match`;
}

function describeKnown({ objects: count, properties, recorded }: Known): string {
  return (
    `the platform has ${plural(count, 'object')} with ${plural(properties, 'property', 'properties')}, ` +
    `${formatCount(recorded)} of them persisted or logged`
  );
}

function numberOf({ config }: SyncContext, selection: Selection): number {
  return config.runtime.indexOf(selection) + 1;
}

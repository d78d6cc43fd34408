import picomatch from 'picomatch';
import type { Selection } from '../config/schema.ts';
import { readDeclaredTypes, readRecorded } from '../load/read-recorded.ts';
import { ensureTable } from '../load/tables.ts';
import type { Series } from '../series/types.ts';
import { objectProperties } from '../streams/object-properties.ts';
import type { SyncContext } from './context.ts';

export interface SelectedSeries {
  readonly selection: Selection;
  readonly series: readonly Series[];
}

/** Narrows what is selected further, as the command line does. */
export interface SeriesFilter {
  readonly objects?: string | undefined;
  readonly properties?: string | undefined;
}

type Name = { readonly object: string; readonly property: string };

/**
 * The series that each selection of the configuration reads, registered in `plant.series`: the properties that the
 * platform records, by the first selection that matches; and those that a selection names in full, without a pattern,
 * even if no list of the platform shows them.
 */
export async function selectSeries(ctx: SyncContext, filter: SeriesFilter = {}): Promise<SelectedSeries[]> {
  await ensureTable(ctx.db, ctx.schemas.data, objectProperties);
  const recorded = await readRecorded(ctx.db, ctx.schemas.data);
  const wanted = matcher(filter.objects ?? '*', filter.properties ?? '*');
  const taken = new Set<string>();
  const named = ctx.config.runtime
    .filter(isNamedInFull)
    .map(({ objects, properties }) => ({ object: objects, property: properties }));
  const types = await readDeclaredTypes(ctx.db, ctx.schemas.data, named);
  const selected: SelectedSeries[] = [];
  for (const selection of ctx.config.runtime) {
    const matches = matcher(selection.objects, selection.properties);
    const candidates = isNamedInFull(selection) ? [nameOf(selection, types)] : recorded.filter(matches);
    const fresh = candidates.filter((each) => wanted(each) && !taken.has(keyOf(each)));
    for (const each of fresh) taken.add(keyOf(each));
    selected.push({ selection, series: await ctx.ledger.series.register(fresh) });
  }
  return selected;
}

function keyOf(name: Name): string {
  return JSON.stringify([name.object, name.property]);
}

function nameOf(selection: Selection, types: ReadonlyMap<string, string | null>): Omit<Series, 'id'> {
  const name = { object: selection.objects, property: selection.properties };
  return { ...name, primitiveType: types.get(keyOf(name)) ?? null };
}

function isNamedInFull(selection: Selection): boolean {
  return !isPattern(selection.objects) && !isPattern(selection.properties);
}

function isPattern(text: string): boolean {
  return /[*?[\]{}!()]/.test(text);
}

/** Aliases are no paths: a `*` matches a slash and a leading dot too. Text without a pattern matches to the letter. */
function matcher(objects: string, properties: string): (name: Name) => boolean {
  const [matchesObject, matchesProperty] = [objects, properties].map(glob);
  return ({ object, property }) =>
    (matchesObject?.(object) ?? false) && (matchesProperty?.(property) ?? false);
}

function glob(pattern: string): (alias: string) => boolean {
  if (pattern === '*') return () => true;
  if (!isPattern(pattern)) return (alias) => alias === pattern;
  const matches = picomatch(pattern, { bash: true, dot: true });
  return (alias) => alias === pattern || matches(alias);
}

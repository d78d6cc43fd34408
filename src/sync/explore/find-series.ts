import { readSeriesNames, type SeriesNames } from '../../load/rows/read-series-names.ts';
import { withoutGiveUp } from '../../postgres/give-up.ts';
import type { SyncContext } from '../context.ts';
import type { SelectedSeries } from '../selection/series-catalog.ts';
import { NameIndex } from './name-index.ts';

export type FindContext = Pick<SyncContext, 'db' | 'schemas' | 'catalog'>;

/** A property that a search found, and what is read of it. */
export interface FoundSeries extends SeriesNames {
  /** Whether a selection reads its history. */
  readonly history: boolean;
  /** Whether a selection polls its current value. */
  readonly current: boolean;
}

export interface FoundList {
  readonly items: readonly FoundSeries[];
  /** The number of properties that fit, of which the best are listed. */
  readonly total: number;
}

/** Names that are known, the catalogue of series that they belong to, and names that are being read. */
interface Kept {
  known?: { readonly index: NameIndex; readonly of: object };
  reading?: Promise<NameIndex>;
}

/** The names of each database, which all searches of a process share. */
const kept = new WeakMap<FindContext['db'], Kept>();

/**
 * Finds properties by words in the aliases and show names of objects and properties, the best first. Every
 * word must fit the object or the property. Letters are compared without their case.
 */
export async function findSeries(ctx: FindContext, question: string, limit: number): Promise<FoundList> {
  const selected = await ctx.catalog.select();
  const index = await openIndex(ctx, selected);
  const { items, total } = await index.find(question, limit);
  const choiceOf = tellChoices(selected);
  return { items: items.map(({ score: _, ...names }) => ({ ...names, ...choiceOf(names) })), total };
}

/**
 * Returns the index of the names. It is read again with the catalogue of series, which follows the directory.
 * Only the first search waits for it, and one that knows no names; others take the names that are known.
 */
async function openIndex(ctx: FindContext, selected: object): Promise<NameIndex> {
  const own = kept.get(ctx.db) ?? {};
  kept.set(ctx.db, own);
  const { known } = own;
  if (known !== undefined && known.of === selected) return known.index;
  own.reading ??= withoutGiveUp(() => readIndex(ctx)).then(
    (index) => {
      own.known = { index, of: selected };
      delete own.reading;
      return index;
    },
    (error: unknown) => {
      delete own.reading;
      throw error;
    },
  );
  if (known === undefined || known.index.isEmpty) return own.reading;
  // The next search that needs the names tells why they cannot be read.
  own.reading.catch(() => undefined);
  return known.index;
}

async function readIndex({ db, schemas }: FindContext): Promise<NameIndex> {
  const index = new NameIndex();
  for await (const names of readSeriesNames(db, schemas.data)) index.add(names);
  return index;
}

/** What the selections read of a property. */
type Choice = Pick<FoundSeries, 'history' | 'current'>;

/** Makes the function that tells what the selections read of a property. */
function tellChoices(
  selected: readonly SelectedSeries[],
): (name: Pick<SeriesNames, 'object' | 'property'>) => Choice {
  const byName = choices.get(selected) ?? new Map<string, Choice>();
  if (!choices.has(selected))
    for (const { selection, series } of selected)
      for (const each of series)
        byName.set(nameKey(each), {
          history: selection.history.enabled,
          current: selection.current.enabled,
        });
  choices.set(selected, byName);
  return (name) => byName.get(nameKey(name)) ?? { history: false, current: false };
}

/** What each catalogue of series reads, since searches come with every letter. */
const choices = new WeakMap<object, Map<string, Choice>>();

function nameKey({ object, property }: Pick<SeriesNames, 'object' | 'property'>): string {
  return `${object.length} ${object}${property}`;
}

import { readSeriesNames, type SeriesNames } from '../../load/rows/read-series-names.ts';
import type { SyncContext } from '../context.ts';
import { NameIndex } from './name-index.ts';

export type FindContext = Pick<SyncContext, 'db' | 'schemas' | 'catalog' | 'clock' | 'ledger'>;

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

/** Age after which the names are read again, while searches go on with those that are known. */
const MAX_AGE_US = 300e6;

/** Names that are known, and those that are being read. */
interface Kept {
  known?: { readonly index: NameIndex; readonly readAt: number };
  reading?: Promise<NameIndex>;
}

/** The names of each database, which all searches of a process share. */
const kept = new WeakMap<FindContext['db'], Kept>();

/**
 * Finds properties by words in the aliases and show names of objects and properties, the best first. Every
 * word must fit the object or the property. Letters are compared without their case.
 */
export async function findSeries(ctx: FindContext, question: string, limit: number): Promise<FoundList> {
  const index = await openIndex(ctx);
  const { items, total } = await index.find(question, limit);
  const isRead = await readChoices(ctx);
  return { items: items.map(({ score: _, ...names }) => ({ ...names, ...isRead(names) })), total };
}

/** Returns the index of the names. Only the first search waits for it; later ones take what is known. */
async function openIndex(ctx: FindContext): Promise<NameIndex> {
  const own = kept.get(ctx.db) ?? {};
  kept.set(ctx.db, own);
  const isFresh = own.known !== undefined && ctx.clock() - own.known.readAt < MAX_AGE_US;
  if (own.known !== undefined && isFresh) return own.known.index;
  own.reading ??= readIndex(ctx).then(
    (index) => {
      own.known = { index, readAt: ctx.clock() };
      delete own.reading;
      return index;
    },
    (error: unknown) => {
      delete own.reading;
      throw error;
    },
  );
  if (own.known === undefined) return own.reading;
  // The next search that needs the names tells why they cannot be read.
  own.reading.catch(() => undefined);
  return own.known.index;
}

async function readIndex({ db, schemas }: FindContext): Promise<NameIndex> {
  const index = new NameIndex();
  for await (const names of readSeriesNames(db, schemas.data)) index.add(names);
  return index;
}

/** What the selections read of a property. */
type Choice = Pick<FoundSeries, 'history' | 'current'>;

/** Makes the function that tells what the selections read of a property. */
export async function readChoices(
  ctx: Pick<FindContext, 'catalog'>,
): Promise<(name: Pick<SeriesNames, 'object' | 'property'>) => Choice> {
  const selected = await ctx.catalog.select();
  const known = choices.get(selected);
  const byName = known ?? new Map<string, Choice>();
  if (known === undefined) {
    for (const { selection, series } of selected)
      for (const each of series)
        byName.set(nameKey(each), {
          history: selection.history.enabled,
          current: selection.current.enabled,
        });
    choices.set(selected, byName);
  }
  return (name) => byName.get(nameKey(name)) ?? { history: false, current: false };
}

/** What each catalogue of series reads, since searches come with every letter. */
const choices = new WeakMap<object, Map<string, Choice>>();

function nameKey({ object, property }: Pick<SeriesNames, 'object' | 'property'>): string {
  return `${object.length} ${object}${property}`;
}

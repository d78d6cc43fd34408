import { Breaks } from '../../breaks.ts';
import { type ObjectName, readObjectNames } from '../../load/rows/read-object-names.ts';
import type { Series } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { matchSeries } from '../selection/select-series.ts';
import type { SelectedSeries } from '../selection/series-catalog.ts';
import type { Grouping, MapFilter } from './map-filter.ts';
import { listParts, type MapPart } from './map-parts.ts';
import { RowCollector } from './row-collector.ts';

export interface IndexQuestion extends MapFilter {
  readonly stream: string;
  readonly groupBy: Grouping;
}

/** The series of one part, each with the number of its row. */
export interface IndexedPart extends MapPart {
  readonly rows: readonly number[];
}

/** Which series belong to which row. Rows are numbered in the order of their names. */
export interface RowIndex {
  readonly names: readonly string[];
  /** The first series of each row. */
  readonly first: readonly Series[];
  /** The number of series of each row. */
  readonly counts: readonly number[];
  readonly parts: readonly IndexedPart[];
  readonly objects: ReadonlyMap<string, ObjectName>;
}

/** What is known of a catalogue of series. It goes when the series are selected again. */
interface Known {
  readonly objects: Promise<ReadonlyMap<string, ObjectName>>;
  readonly indexes: Map<string, Promise<RowIndex>>;
}

/** A page shows a few views in turn. An index of 100,000 series takes some megabytes. */
const MOST_INDEXES = 8;
const knownOf = new WeakMap<readonly SelectedSeries[], Known>();

/** Finds out which series belong to which row. The answer is kept as long as the catalogue of the series. */
export async function readRowIndex(ctx: SyncContext, question: IndexQuestion): Promise<RowIndex> {
  const selected = await ctx.catalog.select();
  const known = knownOf.get(selected) ?? {
    objects: readObjectNames(ctx.db, ctx.schemas.data),
    indexes: new Map<string, Promise<RowIndex>>(),
  };
  knownOf.set(selected, known);
  const { stream, groupBy, objects, properties, template, selection } = question;
  const key = JSON.stringify([stream, groupBy, objects, properties, template, selection]);
  const index =
    known.indexes.get(key) ?? makeIndex(listParts(ctx, stream, selected), question, known.objects);
  known.indexes.delete(key);
  known.indexes.set(key, index);
  for (const oldest of [...known.indexes.keys()].slice(0, -MOST_INDEXES)) known.indexes.delete(oldest);
  // A failure is not kept, so the next question tries again.
  index.catch(() => knownOf.delete(selected));
  return index;
}

async function makeIndex(
  parts: readonly MapPart[],
  question: IndexQuestion,
  names: Known['objects'],
): Promise<RowIndex> {
  const { groupBy, objects: object = '*', properties: property = '*', template, selection } = question;
  const objects = await names;
  const matches = matchSeries({ objects: object, properties: property });
  const templateOf = (each: Series) => objects.get(each.object)?.template ?? '';
  const rows = new RowCollector(groupBy, templateOf);
  const breaks = new Breaks();
  const indexed: { part: MapPart; series: Series[]; rows: number[] }[] = [];
  for (const part of parts.filter(({ name }) => selection === undefined || name === selection)) {
    const own = { part, series: [] as Series[], rows: [] as number[] };
    indexed.push(own);
    for (const each of part.series) {
      if (breaks.due) await breaks.take();
      if (!matches(each) || (template !== undefined && template !== templateOf(each))) continue;
      own.series.push(each);
      own.rows.push(rows.add(each, part.name));
    }
  }
  const { placeOf, ...sorted } = rows.sort();
  return {
    ...sorted,
    objects,
    parts: indexed.map(({ part, ...own }) => ({
      ...part,
      series: own.series,
      rows: own.rows.map((row) => placeOf[row] as number),
    })),
  };
}

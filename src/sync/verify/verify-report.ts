import type { PointStore } from '../../load/stores/store.ts';
import { type Series, seriesName } from '../../series/types.ts';
import type { SeriesDifference, VerifiedStore } from '../run-summary.ts';

/** Points with one kind of difference: their number, and the first times (epoch microseconds). */
export interface Found {
  count: number;
  readonly first: number[];
}

/** The differences between the platform and one store, for one series. */
export interface SeriesDifferences {
  /** Name of the stream, raw history or an aggregate: `history`, `history/300s/mean`. */
  readonly stream: string;
  readonly series: string;
  readonly seriesId: number;
  /** Points that the platform has and the store lacks. */
  readonly missing: Found;
  /** Points that the store has and the platform does not have (any more). */
  readonly extra: Found;
  /** Points that both have, with another value. */
  readonly different: Found;
  /** Whether every window with a difference was repaired. */
  readonly isRepaired: boolean;
}

/** The result of a comparison with one store. */
export interface StoreVerification {
  readonly store: string;
  readonly kind: PointStore['kind'];
  /** Points that the platform returned and the store can hold. */
  readonly points: number;
  /** Windows of time and series that were compared. 0 if nothing of the range is covered. */
  readonly windows: number;
  /** The series that differ. */
  readonly differences: SeriesDifferences[];
  /** Says why not everything could be compared with this store. */
  readonly failure: string | undefined;
  /** Says why extra points could not be removed. */
  readonly kept: string | undefined;
}

/** Times of the differences in one window, by kind. */
export interface WindowDifferences {
  readonly missing: readonly number[];
  readonly extra: readonly number[];
  /** Number of further extra points, whose times are not known. */
  readonly extraBeyond: number;
  readonly different: readonly number[];
}

type Tallied = Omit<SeriesDifferences, 'isRepaired'> & {
  /** Number of windows with a difference that are not repaired. */
  unrepaired: number;
};

const TIMES_SHOWN = 3;
/** Series that the ledger keeps of one verification, so that a run stays small. */
const SERIES_KEPT = 500;
const kinds = ['missing', 'extra', 'different'] as const;

/** Adds up the differences of one store. Windows come in any order. */
export class StoreTally {
  points = 0;
  windows = 0;
  failure: string | undefined;
  kept: string | undefined;
  readonly #store: PointStore;
  readonly #bySeries = new Map<string, Tallied>();

  constructor(store: PointStore) {
    this.#store = store;
  }

  add(stream: string, series: Series, found: WindowDifferences): void {
    if (kinds.every((kind) => found[kind].length === 0)) return;
    const key = keyOf(stream, series);
    const known = this.#bySeries.get(key) ?? {
      stream,
      series: seriesName(series),
      seriesId: series.id,
      unrepaired: 0,
      missing: { count: 0, first: [] },
      extra: { count: 0, first: [] },
      different: { count: 0, first: [] },
    };
    this.#bySeries.set(key, known);
    for (const kind of kinds) addTimes(known[kind], found[kind]);
    known.extra.count += found.extraBeyond;
    known.unrepaired += 1;
  }

  /** Notes that one window of a series, whose differences were added, is repaired. */
  noteRepaired(stream: string, series: Series): void {
    const known = this.#bySeries.get(keyOf(stream, series));
    if (known !== undefined) known.unrepaired -= 1;
  }

  report(): StoreVerification {
    const { id, kind } = this.#store;
    const placeOf = (each: SeriesDifferences) => `${each.series}\n${each.stream}`;
    const differences = [...this.#bySeries.values()]
      .map(({ unrepaired, ...each }) => ({ ...each, isRepaired: unrepaired === 0 }))
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    return {
      store: id,
      kind,
      points: this.points,
      windows: this.windows,
      differences,
      failure: this.failure,
      kept: this.kept,
    };
  }
}

function keyOf(stream: string, series: Series): string {
  return `${stream} ${series.id}`;
}

function addTimes(found: Found, times: readonly number[]): void {
  found.count += times.length;
  found.first.push(...times.slice(0, TIMES_SHOWN));
  found.first.sort((a, b) => a - b).splice(TIMES_SHOWN);
}

/** Counts the differences of a store for the ledger. */
export function countDifferences({
  kind,
  differences,
}: Pick<StoreVerification, 'kind' | 'differences'>): VerifiedStore {
  const sum = (of: (typeof kinds)[number]) => differences.reduce((all, each) => all + each[of].count, 0);
  return {
    ...{ kind, missing: sum('missing'), extra: sum('extra'), different: sum('different') },
    series: new Set(differences.map(({ seriesId }) => seriesId)).size,
    isRepaired: differences.every(({ isRepaired }) => isRepaired),
  };
}

/** Says in one sentence how a store differs. Returns undefined if the store is equal. */
export function describeStore({ failure, kept, ...compared }: StoreVerification): string | undefined {
  const { kind, series, ...found } = countDifferences(compared);
  const counts = kinds.flatMap((of) => (found[of] > 0 ? [`${found[of]} ${of}`] : []));
  const parts = [
    ...(counts.length > 0 ? [`${counts.join(', ')} points in ${series} series`] : []),
    ...(failure === undefined ? [] : [failure]),
    ...(kept === undefined ? [] : [kept]),
  ];
  return parts.length === 0 ? undefined : `${kind}: ${parts.join('; ')}`;
}

/** Returns the differences as the ledger keeps them with the run, by series. */
export function summarizeDifferences(stores: readonly StoreVerification[]): SeriesDifference[] {
  const found = stores.flatMap(({ store, differences }) =>
    differences.map(({ stream, seriesId, missing, extra, different, isRepaired }) => ({
      ...{ store, stream, seriesId, isRepaired },
      ...{ missing: missing.count, extra: extra.count, different: different.count },
    })),
  );
  return found.slice(0, SERIES_KEPT);
}

import { type Series, seriesName } from '../../series/types.ts';
import type { Grouping } from './map-filter.ts';

/** Rows in the order in which people look for them. */
export interface SortedRows {
  readonly names: readonly string[];
  readonly first: readonly Series[];
  readonly counts: readonly number[];
  /** The place of each row, by the number that it got when it was added. */
  readonly placeOf: Uint32Array;
}

/** Collects series to rows, and sorts the rows by name. `pump2` comes before `pump10`. */
export class RowCollector {
  readonly #groupBy: Grouping;
  readonly #templateOf: (series: Series) => string;
  readonly #numbers = new Map<string | number, number>();
  readonly #names: string[] = [];
  readonly #first: Series[] = [];
  readonly #counts: number[] = [];

  constructor(groupBy: Grouping, templateOf: (series: Series) => string) {
    this.#groupBy = groupBy;
    this.#templateOf = templateOf;
  }

  /** Adds a series, and returns the number of its row. */
  add(series: Series, selection: string): number {
    const name = this.#nameOf(series, selection);
    const key = this.#groupBy === 'none' ? series.id : name;
    const known = this.#numbers.get(key);
    const row = known ?? this.#first.push(series) - 1;
    if (known === undefined) {
      this.#numbers.set(key, row);
      this.#names.push(name);
      this.#counts.push(0);
    }
    this.#counts[row] = (this.#counts[row] ?? 0) + 1;
    return row;
  }

  sort(): SortedRows {
    const order = this.#groupBy === 'none' ? this.#orderSeries() : this.#orderNames();
    const placeOf = new Uint32Array(order.length);
    for (const [place, row] of order.entries()) placeOf[row] = place;
    const inOrder = <T>(items: readonly T[]) => order.map((row) => items[row] as T);
    return {
      names: inOrder(this.#names),
      first: inOrder(this.#first),
      counts: inOrder(this.#counts),
      placeOf,
    };
  }

  #nameOf(series: Series, selection: string): string {
    switch (this.#groupBy) {
      case 'object':
        return series.object;
      case 'template':
        return this.#templateOf(series);
      case 'selection':
        return selection;
      case 'none':
        return series.property === '' ? series.object : seriesName(series);
      case 'all':
        return '';
    }
  }

  #orderNames(): number[] {
    const ranks = ranksOf(this.#names);
    return this.#sortBy((row) => ranks.get(this.#names[row] as string) ?? 0);
  }

  /** Ranks of objects and of properties are compared, because to compare 100,000 names is far slower. */
  #orderSeries(): number[] {
    const objects = ranksOf(this.#first.map(({ object }) => object));
    const properties = ranksOf(this.#first.map(({ property }) => property));
    return this.#sortBy((row) => {
      const { object, property } = this.#first[row] as Series;
      return (objects.get(object) ?? 0) * properties.size + (properties.get(property) ?? 0);
    });
  }

  #sortBy(rankOf: (row: number) => number): number[] {
    const ranks = Float64Array.from(this.#first, (_, row) => rankOf(row));
    return Array.from(ranks.keys()).sort((a, b) => (ranks[a] as number) - (ranks[b] as number));
  }
}

function ranksOf(names: readonly string[]): Map<string, number> {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return new Map([...new Set(names)].sort(compare).map((name, rank) => [name, rank]));
}

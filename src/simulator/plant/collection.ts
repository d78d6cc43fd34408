/** A read-only list that need not be in memory. `index` must be within `[0, length)`. */
export interface List<T> {
  readonly length: number;
  at(index: number): T;
}

/** Records that are computed from their place. */
export interface Computed<T> {
  readonly count: number;
  at(index: number): T;
  /** Returns the place of the record with this key, or -1. */
  indexOf(key: string): number;
}

/**
 * A condition. Equal ids mean equal conditions, so that the matching records are looked up once, and not for
 * every page.
 */
export interface Filter<T> {
  readonly id: string;
  matches(record: T): boolean;
}

const MAX_CACHED_LISTS = 16;

/** Makes a list of an array. */
export function listOf<T>(records: readonly T[]): List<T> {
  return { length: records.length, at: (index) => entryOf(records, index) };
}

/** Returns the list with each record shown in another form. */
export function mapList<T, U>(list: List<T>, show: (record: T) => U): List<U> {
  return { length: list.length, at: (index) => show(list.at(index)) };
}

/** An empty set of computed records. */
export const nothing: Computed<never> = {
  count: 0,
  at: (index) => entryOf<never>([], index),
  indexOf: () => -1,
};

function entryOf<T>(records: readonly T[], index: number): T {
  const record = records[index];
  if (record === undefined) throw new RangeError(`no record at ${index}`);
  return record;
}

/** Computed records with the changes that were made to them since the start. */
export class Collection<T extends object> {
  readonly #base: Computed<T>;
  readonly #keyOf: (record: T) => string;
  readonly #added = new Map<string, T>();
  #firstKeys: string[] = [];
  #lastKeys: string[] = [];
  readonly #changed = new Map<string, T>();
  readonly #removed = new Set<string>();
  readonly #lists = new Map<string, List<T>>();

  constructor(base: Computed<T>, keyOf: (record: T) => string) {
    this.#base = base;
    this.#keyOf = keyOf;
  }

  get(key: string): T | undefined {
    const added = this.#added.get(key);
    if (added || this.#removed.has(key)) return added;
    const changed = this.#changed.get(key);
    if (changed) return changed;
    const index = this.#base.indexOf(key);
    return index < 0 ? undefined : this.#base.at(index);
  }

  /** Returns all records, or those that match, in a stable order. */
  list(filter?: Filter<T>): List<T> {
    if (!filter && this.#removed.size === 0)
      return { length: this.#places(), at: (index) => this.#at(index) };
    const id = filter?.id ?? '';
    const cached = this.#lists.get(id);
    if (cached) return cached;
    const places: number[] = [];
    for (let place = 0; place < this.#places(); place += 1) {
      const record = this.#at(place);
      const isBase = place >= this.#firstKeys.length && place < this.#firstKeys.length + this.#base.count;
      if (isBase && this.#removed.has(this.#keyOf(record))) continue;
      if (!filter || filter.matches(record)) places.push(place);
    }
    const list = mapList(listOf(places), (place) => this.#at(place));
    if (this.#lists.size >= MAX_CACHED_LISTS) this.#lists.clear();
    this.#lists.set(id, list);
    return list;
  }

  /** Adds a record at the end, or before all others. A record with the same key is replaced. */
  add(record: T, place: 'first' | 'last' = 'last'): void {
    const key = this.#keyOf(record);
    if (this.#base.indexOf(key) >= 0 && !this.#removed.has(key)) this.#changed.set(key, record);
    else {
      if (!this.#added.has(key)) (place === 'first' ? this.#firstKeys : this.#lastKeys).push(key);
      this.#added.set(key, record);
    }
    this.#lists.clear();
  }

  /**
   * Changes members of a record. A changed key renames the record, which then stands at the end. Returns
   * false if there is no such record.
   */
  update(key: string, change: Partial<T>): boolean {
    const record = this.get(key);
    if (!record) return false;
    const changed = { ...record, ...change };
    if (this.#keyOf(changed) !== key) this.remove(key);
    this.add(changed);
    return true;
  }

  /** Removes a record. Returns false if there is no such record. */
  remove(key: string): boolean {
    if (this.get(key) === undefined) return false;
    if (this.#added.delete(key)) {
      this.#firstKeys = this.#firstKeys.filter((other) => other !== key);
      this.#lastKeys = this.#lastKeys.filter((other) => other !== key);
    } else {
      this.#changed.delete(key);
      this.#removed.add(key);
    }
    this.#lists.clear();
    return true;
  }

  #places(): number {
    return this.#firstKeys.length + this.#base.count + this.#lastKeys.length;
  }

  #at(place: number): T {
    const first = this.#firstKeys.length;
    const basePlace = place - first;
    if (basePlace >= 0 && basePlace < this.#base.count) {
      const record = this.#base.at(basePlace);
      return (this.#changed.size > 0 && this.#changed.get(this.#keyOf(record))) || record;
    }
    const key =
      basePlace < 0 ? this.#firstKeys[first - 1 - place] : this.#lastKeys[basePlace - this.#base.count];
    const record = key === undefined ? undefined : this.#added.get(key);
    if (!record) throw new RangeError(`no record at ${place}`);
    return record;
  }
}

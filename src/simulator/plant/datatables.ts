import { isDeepStrictEqual } from 'node:util';
import type { PlainRecord } from '../values.ts';

/** The entries of all datatables, by the alias of their object. */
export class Datatables {
  readonly #entries = new Map<string, PlainRecord[]>();

  /** Adds an entry and returns its number, counted from 1. */
  add(object: string, entry: PlainRecord): number {
    const entries = this.#entries.get(object) ?? [];
    entries.push(entry);
    this.#entries.set(object, entries);
    return entries.length;
  }

  /** Changes all entries whose members equal those of the condition. An empty condition fits all entries. */
  update(object: string, change: PlainRecord, where: PlainRecord): number {
    let changed = 0;
    const entries = this.entries(object).map((entry) => {
      if (!fits(entry, where)) return entry;
      changed += 1;
      return { ...entry, ...change };
    });
    this.#entries.set(object, entries);
    return changed;
  }

  /** Removes all entries that fit the condition. An empty condition fits all entries. */
  remove(object: string, where: PlainRecord): void {
    this.#entries.set(
      object,
      this.entries(object).filter((entry) => !fits(entry, where)),
    );
  }

  entries(object: string): readonly PlainRecord[] {
    return this.#entries.get(object) ?? [];
  }
}

function fits(entry: PlainRecord, where: PlainRecord): boolean {
  return Object.entries(where).every(([member, value]) => isDeepStrictEqual(entry[member], value));
}

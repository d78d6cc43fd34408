import type { Config, Selection } from '../../config/config-schema.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { countMatching, countSelected, isListed } from '../../load/rows/count-selected.ts';
import { ensureTables } from '../../load/rows/ensure-tables.ts';
import { readDeclaredTypes } from '../../load/rows/read-properties.ts';
import {
  type PropertyKey,
  type PropertyPage,
  readSelected,
  type SelectedProperty,
  type SelectedQuestion,
  type SelectionRules,
} from '../../load/rows/read-selected.ts';
import { sampleSelected } from '../../load/rows/sample-selected.ts';
import type { Database } from '../../postgres/connect.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Series } from '../../series/types.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { settingsOf } from '../stream-settings.ts';
import { isNamedInFull } from './select-series.ts';
import { readNameRules, readSelectionRules } from './selection-rules.ts';
import { isNarrowed, narrow, type SeriesFilter } from './series-filter.ts';

export interface ReaderDeps {
  readonly config: Config;
  readonly db: Database;
  readonly schemas: Schemas;
  readonly ledger: Ledger;
}

/** A selection that is asked for. */
export interface Wanted {
  readonly selection: Selection;
  /** The rules of all selections, in their order. */
  readonly rules: readonly SelectionRules[];
  readonly filter?: SeriesFilter | undefined;
}

/** Series of the first part that is read, so that it comes soon, and of all others. */
const FIRST_PART = 1_000;
export const PART = 10_000;

/** Asks Postgres for the series of selections, and remembers nothing. */
export class SelectionReader {
  readonly #deps: ReaderDeps;

  constructor(parts: ReaderDeps) {
    this.#deps = parts;
  }

  /** Reads the rules of all selections. */
  async readRules(): Promise<SelectionRules[]> {
    const { config, db, schemas } = this.#deps;
    await ensureTables(db, schemas.data, objectProperties, settingsOf(config, objectProperties));
    return readSelectionRules(this.#deps, config.runtime);
  }

  /** Reads the series of a selection in parts, in the order of their names. */
  async *readParts(wanted: Wanted): AsyncGenerator<readonly Series[]> {
    const { selection, filter = {} } = wanted;
    const question = await this.#questionOf(wanted);
    let found = 0;
    let page: PropertyPage | undefined = { limit: FIRST_PART };
    while (page !== undefined) {
      const rows: SelectedProperty[] = await readSelected(this.#deps.db, this.#deps.schemas.data, {
        ...question,
        ...page,
      });
      found += rows.length;
      if (rows.length > 0) yield await this.#register(rows);
      page = rows.length < page.limit ? undefined : { after: rows.at(-1), limit: PART };
    }
    if (found === 0 && isNamedInFull(selection)) yield narrow(await this.#readUnlisted(selection), filter);
  }

  /** Counts the series of a selection. */
  async count(wanted: Wanted): Promise<number> {
    const { db, schemas } = this.#deps;
    if (!isNamedInFull(wanted.selection))
      return countSelected(db, schemas.data, await this.#questionOf(wanted));
    let count = 0;
    for await (const part of this.readParts(wanted)) count += part.length;
    return count;
  }

  /**
   * Counts the series of a selection, and names some that are spread over all of them. Registers no series,
   * so it is fit for a look at a plant that is not read yet.
   */
  async sample(wanted: Wanted, most: number): Promise<{ count: number; names: PropertyKey[] }> {
    const { db, schemas } = this.#deps;
    const { selection } = wanted;
    const question = await this.#questionOf(wanted);
    const names = await sampleSelected(db, schemas.data, { ...question, count: most });
    if (names.length === most) return { count: await countSelected(db, schemas.data, question), names };
    if (names.length > 0 || !isNamedInFull(selection)) return { count: names.length, names };
    const isTaken = !this.#isFirstOf(selection) || (await isListed(db, schemas.data, nameOf(selection)));
    return isTaken ? { count: 0, names } : { count: 1, names: [nameOf(selection)] };
  }

  /** Counts the properties whose names a selection matches, and those of them that it may read. */
  async countMatching(wanted: Wanted): Promise<{ matching: number; usable: number }> {
    const { rules } = await this.#questionOf(wanted);
    return countMatching(this.#deps.db, this.#deps.schemas.data, rules);
  }

  async #questionOf({ selection, rules: all, filter = {} }: Wanted): Promise<SelectedQuestion> {
    const place = this.#deps.config.runtime.indexOf(selection);
    const rules = all[place];
    if (rules === undefined) throw new Error('the selection is not of this configuration');
    const { objects = '*', properties = '*' } = filter;
    const within = isNarrowed(filter) ? await readNameRules(this.#deps, { objects, properties }) : undefined;
    return { rules, before: all.slice(0, place), within };
  }

  /** Returns the series of a selection that is named in full, if no list of the platform shows it. */
  async #readUnlisted(selection: Selection): Promise<Series[]> {
    const { db, schemas, ledger } = this.#deps;
    const name = nameOf(selection);
    if (!this.#isFirstOf(selection) || (await isListed(db, schemas.data, name))) return [];
    const types = await readDeclaredTypes(db, schemas.data, [name]);
    const primitiveType = types.get(JSON.stringify([name.object, name.property])) ?? null;
    return ledger.series.register([{ ...name, primitiveType }]);
  }

  /** Tells whether a selection that is named in full is the first with its names. */
  #isFirstOf(selection: Selection): boolean {
    const { objects, properties } = selection;
    const isSame = (other: Selection) => other.objects === objects && other.properties === properties;
    return this.#deps.config.runtime.find(isSame) === selection;
  }

  /** Returns the series of properties. Those that are new or have changed are registered first. */
  async #register(rows: readonly SelectedProperty[]): Promise<Series[]> {
    const registered = await this.#deps.ledger.series.register(rows.filter(({ id }) => id === null));
    let next = 0;
    return rows.map((row) => {
      if (row.id !== null) return { ...row, id: row.id };
      next += 1;
      return registered[next - 1] as Series;
    });
  }
}

/** Returns the names of the series that a selection names in full. */
function nameOf({ objects, properties }: Selection): PropertyKey {
  return { object: objects, property: properties };
}

import type { Config, Selection } from '../../config/config-schema.ts';
import { StoreError } from '../../errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  countMatching,
  countProperties,
  countSelected,
  isListed,
  type PropertyCounts,
} from '../../load/rows/count-selected.ts';
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
import { withoutGiveUp } from '../../postgres/give-up.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Series } from '../../series/types.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { settingsOf } from '../stream-settings.ts';
import { isNamedInFull, matchSeries } from './select-series.ts';
import { readNameRules, readSelectionRules } from './selection-rules.ts';

export interface SelectedSeries {
  readonly selection: Selection;
  readonly series: readonly Series[];
}

/** Numbers of properties that no selection reads, by the reason. */
export interface LeftOut {
  /** Properties that the platform neither persists nor logs. */
  readonly unrecorded: number;
  /** Properties whose names no selection matches. */
  readonly unmatched: number;
}

/** What is known of the directory until it changes, or grows old. */
export interface Edition {
  readonly madeAt: number;
  rules?: Promise<SelectionRules[]> | undefined;
  /** The series of selections that somebody wanted in memory. */
  readonly series: Map<Selection, Promise<readonly Series[]>>;
  counts?: Promise<PropertyCounts> | undefined;
}

/** The last sentence about a selection without series, and the edition of the catalogue that it tells of. */
export interface ToldEmpty {
  readonly of: Edition;
  readonly sentence: string;
}

/** Narrows the selections further, as the command line does. */
export interface SeriesFilter {
  readonly objects?: string | undefined;
  readonly properties?: string | undefined;
}

export interface CatalogDeps {
  readonly config: Config;
  readonly db: Database;
  readonly schemas: Schemas;
  readonly ledger: Ledger;
  /** Returns the time in epoch microseconds. */
  readonly clock: () => number;
}

/** Age after which the series are selected again, since another process may have synced the directory. */
const MAX_AGE_US = 300e6;
/**
 * Time after which Postgres is asked again while it is away. The series that are known stay in use until
 * then.
 */
const RETRY_US = 30e6;
/** Series of the first part that is read, so that it comes soon, and of all others. */
const FIRST_PART = 1_000;
const PART = 10_000;

/**
 * The series that each selection of the configuration reads, registered in `plant.series`. A series belongs
 * to the first selection that matches it. Selections take the recorded properties, or any properties if they
 * say so. A series that a selection names in full is taken even if no list of the platform shows it.
 *
 * Postgres finds the series, and `read` brings them in parts. So any number of series needs the memory of one
 * part. A selection that fits into one part stays in memory until the directory was synced, or for 5 minutes.
 * So do the series that polls ask for every few seconds. While Postgres is away, the series that polls know
 * stay in use.
 */
export class SeriesCatalog {
  readonly #deps: CatalogDeps;
  #edition: Edition | undefined;
  /** The series of the selections that could last be read as a whole. */
  readonly #known = new Map<Selection, readonly Series[]>();

  constructor(parts: CatalogDeps) {
    this.#deps = parts;
    // A failover may have lost the last series, and their numbers may be given to others.
    parts.db.onServerChange(() => {
      this.#known.clear();
      this.expire();
    });
  }

  /** Reads the series of a selection in parts, in the order of their names. */
  async *read(selection: Selection, filter: SeriesFilter = {}): AsyncGenerator<readonly Series[]> {
    const edition = this.edition;
    const kept = edition.series.get(selection);
    if (kept !== undefined) {
      const series = narrow(await kept, filter);
      for (let k = 0; k < series.length; k += PART) yield series.slice(k, k + PART);
      return;
    }
    const all: Series[] = [];
    let count = 0;
    for await (const part of this.#readParts(edition, selection, filter)) {
      yield part;
      count += part.length;
      if (count <= PART) all.push(...part);
    }
    if (count <= PART && !isNarrowed(filter)) this.#keep(edition, selection, Promise.resolve(all));
  }

  /** Returns the series of a selection, which stay in memory. */
  async seriesOf(selection: Selection): Promise<readonly Series[]> {
    const edition = this.edition;
    const kept = edition.series.get(selection);
    if (kept !== undefined) return kept;
    const read = () => collect(this.#readParts(edition, selection, {}));
    const made = withoutGiveUp(read).catch((error: unknown) => {
      const known = this.#known.get(selection);
      if (known === undefined || !(error instanceof StoreError) || error.action !== 'retry') throw error;
      this.#edition = { ...edition, madeAt: this.#deps.clock() - MAX_AGE_US + RETRY_US };
      return known;
    });
    return this.#keep(edition, selection, made);
  }

  /** Returns the series of all selections, in memory. A plant may have too many of them for that. */
  async select(filter: SeriesFilter = {}): Promise<SelectedSeries[]> {
    const selected: SelectedSeries[] = [];
    for (const selection of this.#deps.config.runtime) {
      const series = isNarrowed(filter)
        ? await collect(this.read(selection, filter))
        : await this.seriesOf(selection);
      selected.push({ selection, series });
    }
    return selected;
  }

  /** Returns the series of a selection as they were last known. Returns undefined if they never were. */
  seriesBefore(selection: Selection): readonly Series[] | undefined {
    return this.#known.get(selection);
  }

  /** Counts the series of a selection. */
  async count(selection: Selection, filter: SeriesFilter = {}): Promise<number> {
    const { edition } = this;
    if (isNamedInFull(selection)) return (await collect(this.#readParts(edition, selection, filter))).length;
    const question = await this.#questionOf(edition, selection, filter);
    return countSelected(this.#deps.db, this.#deps.schemas.data, question);
  }

  /**
   * Counts the series of a selection, and names some that are spread over all of them. Registers no series,
   * so it is fit for a look at a plant that is not read yet.
   */
  async sample(selection: Selection, most: number): Promise<{ count: number; names: PropertyKey[] }> {
    const { db, schemas } = this.#deps;
    const question = await this.#questionOf(this.edition, selection, {});
    const names = await sampleSelected(db, schemas.data, { ...question, count: most });
    if (names.length === most) return { count: await countSelected(db, schemas.data, question), names };
    if (names.length > 0 || !isNamedInFull(selection)) return { count: names.length, names };
    const isTaken = !this.#isFirstOf(selection) || (await isListed(db, schemas.data, nameOf(selection)));
    return isTaken ? { count: 0, names } : { count: 1, names: [nameOf(selection)] };
  }

  /** Counts the properties whose names a selection matches, and those of them that it may read. */
  async countMatching(selection: Selection): Promise<{ matching: number; usable: number }> {
    const { rules } = await this.#questionOf(this.edition, selection, {});
    return countMatching(this.#deps.db, this.#deps.schemas.data, rules);
  }

  /** Counts the properties of the platform, and those that no selection reads. */
  async countProperties(): Promise<PropertyCounts> {
    const { edition } = this;
    const { db, schemas } = this.#deps;
    const count = async () => countProperties(db, schemas.data, await this.#rulesOf(edition));
    edition.counts ??= withoutGiveUp(count).catch((error: unknown) => {
      edition.counts = undefined;
      throw error;
    });
    return edition.counts;
  }

  /** Counts the properties of the platform that no selection reads. */
  async countLeftOut(): Promise<LeftOut> {
    const { unrecorded, unmatched } = await this.countProperties();
    return { unrecorded, unmatched };
  }

  /** Notes that the directory has changed. */
  expire(): void {
    this.#edition = undefined;
  }

  /** What is known of the directory just now. Another edition follows when the directory has changed. */
  get edition(): Edition {
    const now = this.#deps.clock();
    if (this.#edition !== undefined && now - this.#edition.madeAt < MAX_AGE_US) return this.#edition;
    this.#edition = { madeAt: now, series: new Map() };
    return this.#edition;
  }

  /** Returns the rules of all selections. A failure is not kept. */
  #rulesOf(edition: Edition): Promise<SelectionRules[]> {
    edition.rules ??= withoutGiveUp(() => this.#readRules()).catch((error: unknown) => {
      edition.rules = undefined;
      throw error;
    });
    return edition.rules;
  }

  async #readRules(): Promise<SelectionRules[]> {
    const { config, db, schemas } = this.#deps;
    await ensureTables(db, schemas.data, objectProperties, settingsOf(config, objectProperties));
    return readSelectionRules(this.#deps, config.runtime);
  }

  /** Keeps the series of a selection. A failure is not kept, so the next question tries again. */
  #keep(
    edition: Edition,
    selection: Selection,
    made: Promise<readonly Series[]>,
  ): Promise<readonly Series[]> {
    edition.series.set(selection, made);
    made.then(
      (series) => this.#known.set(selection, series),
      () => edition.series.delete(selection),
    );
    return made;
  }

  async #questionOf(edition: Edition, selection: Selection, filter: SeriesFilter): Promise<SelectedQuestion> {
    const place = this.#deps.config.runtime.indexOf(selection);
    const all = await this.#rulesOf(edition);
    const rules = all[place];
    if (rules === undefined) throw new Error('the selection is not of this configuration');
    const { objects = '*', properties = '*' } = filter;
    const within = isNarrowed(filter) ? await readNameRules(this.#deps, { objects, properties }) : undefined;
    return { rules, before: all.slice(0, place), within };
  }

  async *#readParts(
    edition: Edition,
    selection: Selection,
    filter: SeriesFilter,
  ): AsyncGenerator<readonly Series[]> {
    const question = await this.#questionOf(edition, selection, filter);
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

/**
 * Returns the name of a selection in the ledger. The name stays the same when the selections are reordered.
 */
export function nameOfSelection({ objects, properties }: Selection): string {
  return `${objects}/${properties}`;
}

/** Tells whether a filter narrows the selections at all. */
export function isNarrowed({ objects, properties }: SeriesFilter): boolean {
  return objects !== undefined || properties !== undefined;
}

/** Returns the names of the series that a selection names in full. */
function nameOf({ objects, properties }: Selection): PropertyKey {
  return { object: objects, property: properties };
}

function narrow(series: readonly Series[], filter: SeriesFilter): readonly Series[] {
  if (!isNarrowed(filter)) return series;
  return series.filter(matchSeries({ objects: filter.objects ?? '*', properties: filter.properties ?? '*' }));
}

async function collect(parts: AsyncIterable<readonly Series[]>): Promise<Series[]> {
  const all: Series[] = [];
  for await (const part of parts) for (const each of part) all.push(each);
  return all;
}

import type { Selection } from '../../config/config-schema.ts';
import { StoreError } from '../../errors.ts';
import {
  countLeftOut,
  countListed,
  type LeftOut,
  type ListedCounts,
} from '../../load/rows/count-selected.ts';
import type { PropertyKey, SelectionRules } from '../../load/rows/read-selected.ts';
import { withoutGiveUp } from '../../postgres/give-up.ts';
import type { Series } from '../../series/types.ts';
import { PART, type ReaderDeps, SelectionReader, type Wanted } from './selection-reader.ts';
import { isNarrowed, narrow, type SeriesFilter } from './series-filter.ts';

export interface SelectedSeries {
  readonly selection: Selection;
  readonly series: readonly Series[];
}

/** What is known of the directory until it changes, or grows old. */
export interface Edition {
  readonly madeAt: number;
  /** The series of selections that somebody wanted in memory. */
  readonly series: Map<Selection, Promise<readonly Series[]>>;
  /** The series of the selections that could last be read as a whole. Editions of one server share them. */
  readonly known: Map<Selection, readonly Series[]>;
  /** Other answers of Postgres, by question. */
  readonly answers: Map<string, Promise<unknown>>;
}

/** The last sentence about a selection without series, and the edition of the catalogue that it tells of. */
export interface ToldEmpty {
  readonly of: Edition;
  readonly sentence: string;
}

export interface CatalogDeps extends ReaderDeps {
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
  readonly #reader: SelectionReader;
  #edition: Edition | undefined;
  #known: Edition['known'] = new Map();

  constructor(parts: CatalogDeps) {
    this.#deps = parts;
    this.#reader = new SelectionReader(parts);
    // A failover may have lost the last series, and their numbers may be given to others. A read that began
    // before it notes its series in the former map, which nobody asks any more.
    parts.db.onServerChange(() => {
      this.#known = new Map();
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
    for await (const part of this.#reader.readParts(await this.#wanted(selection, filter, edition))) {
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
    const read = async () => collect(this.#reader.readParts(await this.#wanted(selection, {}, edition)));
    const made = withoutGiveUp(read).catch((error: unknown) => {
      const known = edition.known === this.#known ? edition.known.get(selection) : undefined;
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
    return this.#reader.count(await this.#wanted(selection, filter));
  }

  /** Counts the series of a selection, and names some, as `SelectionReader.sample` does. */
  async sample(selection: Selection, most: number): Promise<{ count: number; names: PropertyKey[] }> {
    return this.#reader.sample(await this.#wanted(selection), most);
  }

  /** Counts the properties whose names a selection matches, and those of them that it may read. */
  async countMatching(selection: Selection): Promise<{ matching: number; usable: number }> {
    return this.#reader.countMatching(await this.#wanted(selection));
  }

  /** Makes the tables that the series are selected from. */
  async makeTables(): Promise<void> {
    await this.#rulesOf(this.edition);
  }

  /** Counts the properties that the platform lists. */
  countListed(): Promise<ListedCounts> {
    const { db, schemas } = this.#deps;
    return askOnce(this.edition, 'listed', async () => {
      await this.makeTables();
      return countListed(db, schemas.data);
    });
  }

  /** Counts the properties of the platform that no selection reads. */
  countLeftOut(): Promise<LeftOut> {
    const { edition } = this;
    const { db, schemas } = this.#deps;
    return askOnce(edition, 'left out', async () =>
      countLeftOut(db, schemas.data, await this.#rulesOf(edition)),
    );
  }

  /** Notes that the directory has changed. */
  expire(): void {
    this.#edition = undefined;
  }

  /** What is known of the directory just now. Another edition follows when the directory has changed. */
  get edition(): Edition {
    const now = this.#deps.clock();
    if (this.#edition !== undefined && now - this.#edition.madeAt < MAX_AGE_US) return this.#edition;
    this.#edition = { madeAt: now, series: new Map(), known: this.#known, answers: new Map() };
    return this.#edition;
  }

  async #wanted(selection: Selection, filter?: SeriesFilter, edition = this.edition): Promise<Wanted> {
    return { selection, filter, rules: await this.#rulesOf(edition) };
  }

  /** Returns the rules of all selections. Their names are in tables, which this makes. */
  #rulesOf(edition: Edition): Promise<SelectionRules[]> {
    return askOnce(edition, 'rules', () => this.#reader.readRules());
  }

  /** Keeps the series of a selection. A failure is not kept, so the next question tries again. */
  #keep(
    edition: Edition,
    selection: Selection,
    made: Promise<readonly Series[]>,
  ): Promise<readonly Series[]> {
    edition.series.set(selection, made);
    made.then(
      (series) => edition.known.set(selection, series),
      () => edition.series.delete(selection),
    );
    return made;
  }
}

/** Asks a question once for an edition. A failure is not kept, so the next one who asks tries again. */
function askOnce<T>(edition: Edition, question: string, ask: () => Promise<T>): Promise<T> {
  const kept = edition.answers.get(question) as Promise<T> | undefined;
  if (kept !== undefined) return kept;
  const asked = withoutGiveUp(ask);
  edition.answers.set(question, asked);
  asked.catch(() => edition.answers.delete(question));
  return asked;
}

/**
 * Returns the name of a selection in the ledger. The name stays the same when the selections are reordered.
 */
export function nameOfSelection({ objects, properties }: Selection): string {
  return `${objects}/${properties}`;
}

async function collect(parts: AsyncIterable<readonly Series[]>): Promise<Series[]> {
  const all: Series[] = [];
  for await (const part of parts) for (const each of part) all.push(each);
  return all;
}

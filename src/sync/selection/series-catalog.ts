import type { Config, Selection } from '../../config/config-schema.ts';
import { StoreError } from '../../errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ensureTables } from '../../load/rows/ensure-tables.ts';
import { readDeclaredTypes, readProperties } from '../../load/rows/read-properties.ts';
import type { Database } from '../../postgres/connect.ts';
import { withoutGiveUp } from '../../postgres/give-up.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Series } from '../../series/types.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { settingsOf } from '../stream-settings.ts';
import { isNamedInFull, matchSeries, selectSeries } from './select-series.ts';

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

/** The series and properties that follow from the directory and the configuration. */
interface Catalogue {
  readonly selected: SelectedSeries[];
  readonly leftOut: LeftOut;
}

/** The last sentence about a selection without series, and the choice of series for which it holds. */
export interface ToldEmpty {
  readonly of: readonly SelectedSeries[];
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

/**
 * The series that each selection of the configuration reads, registered in `plant.series`. A series belongs
 * to the first selection that matches it. Selections take the recorded properties, or any properties if they
 * say so. A series that a selection names in full is taken even if no list of the platform shows it.
 *
 * Polls ask every few seconds. So the series are selected at the first question, and again after the
 * directory was synced. While Postgres is away, the series that are known stay in use.
 */
export class SeriesCatalog {
  readonly #deps: CatalogDeps;
  #made: Promise<Catalogue> | undefined;
  /** The last catalogue that could be made. */
  #known: Catalogue | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;

  constructor(parts: CatalogDeps) {
    this.#deps = parts;
    // A failover may have lost the last series, and their numbers may be given to others.
    parts.db.onServerChange(() => {
      this.#known = undefined;
      this.expire();
    });
  }

  async select(filter: SeriesFilter = {}): Promise<SelectedSeries[]> {
    const wanted = matchSeries({ objects: filter.objects ?? '*', properties: filter.properties ?? '*' });
    const all = filter.objects === undefined && filter.properties === undefined;
    const { selected } = await this.#current();
    return all
      ? selected
      : selected.map(({ selection, series }) => ({ selection, series: series.filter(wanted) }));
  }

  /** The series of the last catalogue that could be made. Undefined if there is none. */
  get selectedBefore(): readonly SelectedSeries[] | undefined {
    return this.#known?.selected;
  }

  /** Counts the properties of the platform that no selection reads. */
  async countLeftOut(): Promise<LeftOut> {
    return (await this.#current()).leftOut;
  }

  /** Notes that the directory has changed. */
  expire(): void {
    this.#made = undefined;
  }

  #current(): Promise<Catalogue> {
    const now = this.#deps.clock();
    if (this.#made !== undefined && now - this.#madeAt < MAX_AGE_US) return this.#made;
    const made = withoutGiveUp(() => this.#make()).then(
      (catalogue) => {
        this.#known = catalogue;
        return catalogue;
      },
      (error: unknown) => {
        if (this.#known === undefined || !(error instanceof StoreError) || error.action !== 'retry')
          throw error;
        this.#madeAt = this.#deps.clock() - MAX_AGE_US + RETRY_US;
        return this.#known;
      },
    );
    this.#madeAt = now;
    this.#made = made;
    // A failure is not kept, so the next question tries again.
    made.catch(() => this.expire());
    return made;
  }

  async #make(): Promise<Catalogue> {
    const { config, db, schemas, ledger } = this.#deps;
    await ensureTables(db, schemas.data, objectProperties, settingsOf(config, objectProperties));
    const properties = await readProperties(db, schemas.data);
    const named = config.runtime
      .filter(isNamedInFull)
      .map(({ objects, properties }) => ({ object: objects, property: properties }));
    const types = await readDeclaredTypes(db, schemas.data, named);
    const { chosen, unrecorded, unmatched } = await selectSeries(config.runtime, {
      properties,
      named: (name) => ({
        ...name,
        recorded: true,
        primitiveType: types.get(JSON.stringify([name.object, name.property])) ?? null,
      }),
    });
    const selected: SelectedSeries[] = [];
    for (const [k, selection] of config.runtime.entries())
      selected.push({ selection, series: await ledger.series.register(chosen[k] ?? []) });
    return { selected, leftOut: { unrecorded: unrecorded.length, unmatched: unmatched.length } };
  }
}

/**
 * Returns the name of a selection in the ledger. The name stays the same when the selections are reordered.
 */
export function nameOfSelection({ objects, properties }: Selection): string {
  return `${objects}/${properties}`;
}

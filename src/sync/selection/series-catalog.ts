import type { Config, Selection } from '../../config/config-schema.ts';
import { StoreError } from '../../errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { ensureTables } from '../../load/rows/ensure-tables.ts';
import { readDeclaredTypes, readProperties } from '../../load/rows/read-properties.ts';
import type { Database } from '../../postgres/connect.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Series } from '../../series/types.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { settingsOf } from '../stream-settings.ts';
import { isNamedInFull, matchSeries, selectSeries } from './select-series.ts';

export interface SelectedSeries {
  readonly selection: Selection;
  readonly series: readonly Series[];
}

/** Properties that no selection reads, by the reason. */
export interface LeftOut {
  /** The platform neither persists nor logs them. */
  readonly unrecorded: number;
  /** No selection matches their names. */
  readonly unmatched: number;
}

/** What the directory and the configuration make together. */
interface Catalogue {
  readonly selected: SelectedSeries[];
  readonly leftOut: LeftOut;
}

/** What was said last of a selection without series, and for which choice of series it holds. */
export interface ToldEmpty {
  readonly of: readonly SelectedSeries[];
  readonly sentence: string;
}

/** Narrows what is selected further, as the command line does. */
export interface SeriesFilter {
  readonly objects?: string | undefined;
  readonly properties?: string | undefined;
}

export interface CatalogDeps {
  readonly config: Config;
  readonly db: Database;
  readonly schemas: Schemas;
  readonly ledger: Ledger;
  /** Epoch microseconds. */
  readonly clock: () => number;
}

/** Another process may have synced the directory meanwhile. */
const MAX_AGE_US = 300e6;
/** While Postgres is away what is known holds on, and is asked for again after this time. */
const RETRY_US = 30e6;

/**
 * The series that each selection of the configuration reads, registered in `plant.series`: the properties that the
 * platform records (or any, where the selection says so), by the first selection that matches; and those that a selection names in full, without a pattern,
 * even if no list of the platform shows them. It is made when first asked for, and again when the directory was synced:
 * polls ask every few seconds. While Postgres is away, what was known before holds.
 */
export class SeriesCatalog {
  readonly #deps: CatalogDeps;
  #made: Promise<Catalogue> | undefined;
  /** The last that could be made. */
  #known: Catalogue | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;

  constructor(parts: CatalogDeps) {
    this.#deps = parts;
  }

  async select(filter: SeriesFilter = {}): Promise<SelectedSeries[]> {
    const wanted = matchSeries({ objects: filter.objects ?? '*', properties: filter.properties ?? '*' });
    const all = filter.objects === undefined && filter.properties === undefined;
    const { selected } = await this.#current();
    return all
      ? selected
      : selected.map(({ selection, series }) => ({ selection, series: series.filter(wanted) }));
  }

  /** What was selected when it could last be made. */
  get selectedBefore(): readonly SelectedSeries[] | undefined {
    return this.#known?.selected;
  }

  /** How many properties of the platform no selection reads. */
  async countLeftOut(): Promise<LeftOut> {
    return (await this.#current()).leftOut;
  }

  /** Says that the directory has changed. */
  expire(): void {
    this.#made = undefined;
  }

  #current(): Promise<Catalogue> {
    const now = this.#deps.clock();
    if (this.#made !== undefined && now - this.#madeAt < MAX_AGE_US) return this.#made;
    const made = this.#make().then(
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
    // A failure is not kept: the next question tries again.
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
    const { chosen, unrecorded, unmatched } = selectSeries(config.runtime, {
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

/** Names a selection in the ledger; it stays the same when the list of selections is reordered. */
export function nameOfSelection({ objects, properties }: Selection): string {
  return `${objects}/${properties}`;
}

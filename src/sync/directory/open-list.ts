import { Breaks } from '../../breaks.ts';
import type { LoadedList } from '../../ledger/reads.ts';
import type { DriftTally } from '../../normalize/drift-watch.ts';
import type { NormalizedRecord } from '../../normalize/records.ts';
import type { Page } from '../../platform/platform.ts';
import type { ColumnValue, RawRecord } from '../../streams/define.ts';
import type { KnownList } from './known-lists.ts';
import type { ListContent, Unit } from './list-content.ts';
import { type Stretch, Stretches } from './list-units.ts';

/** Records that a list collects before it hands them on. Fewer records wait for the end of the list. */
const SPILL_RECORDS = 500;

/** The row that a list belongs to: its key columns, and their JSON text. */
export interface ListOwner {
  readonly key: RawRecord;
  readonly id: string;
  /** When the row last changed, in epoch microseconds. Undefined if that was not read. */
  readonly changedAt?: number;
}

/** Makes the owner with a key. The ledger knows the owner by its id. */
export function makeOwner(key: RawRecord): ListOwner {
  return { key, id: JSON.stringify(Object.values(key)) };
}

/** How the reading of a list ended. */
export interface ListEnd {
  /** Whether the list was read to its proven end. */
  readonly complete: boolean;
  /** Whether the list stayed the same while it was read. */
  readonly stable: boolean;
  readonly pages: number;
  /** Whether a key came more than once. */
  readonly repeats?: boolean;
  readonly problem?: string;
  readonly note?: string;
}

/** Records on their way to the tables, and the end of the list that they come from. */
export interface Parcel {
  readonly records: readonly NormalizedRecord[];
  readonly bytes: number;
  /** The list of the records. The list goes on if `end` is missing. */
  readonly list: Omit<LoadedList, 'content'>;
  /** What the tables hold of the list once these records are loaded. Undefined if that is not known. */
  readonly content?: ListContent | undefined;
  /** Given once, with the last records of a list that was read well: the list is whole with them. */
  readonly end?: {
    readonly owner: ListOwner | undefined;
    /**
     * Keys that the list holds besides the records. All other rows of the list are missing. Undefined if no
     * row counts as missing, for example because a record without a key may be any row.
     */
    readonly alsoSeen: readonly (readonly ColumnValue[])[] | undefined;
  };
  /** True if the list holds what it held before, so that nothing but the reading is to be noted. */
  readonly isUnchanged?: true;
}

type Normalized = NormalizedRecord | { readonly key?: readonly ColumnValue[] };

export interface OpenListDeps {
  readonly owner: ListOwner | undefined;
  /** What is known of the list. Undefined if all its rows are to be compared. */
  readonly known: KnownList;
  /** Normalizes a record. Keeps a reject if the record cannot be a row. */
  readonly normalize: (record: unknown, owner: RawRecord | undefined, tally: DriftTally) => Normalized;
  readonly keyOf: (record: NormalizedRecord) => readonly ColumnValue[];
  /** Returns the key that the row of a record has. */
  readonly keyOfRecord: (record: unknown, owner: RawRecord | undefined) => readonly ColumnValue[];
  /** Returns the key of a record as text. Given for a long list, which is divided by its keys. */
  readonly divideBy: ((record: unknown) => string | undefined) | undefined;
  readonly openTally: () => DriftTally;
  /** Counts a unit that the list had before. Its rows are in the tables. */
  readonly takeKnown: (unit: Unit) => void;
  /** Counts the drift of a unit. */
  readonly takeDrift: (tally: DriftTally) => void;
  /** Takes records over. Resolves when there is room for more. */
  readonly take: (parcel: Parcel) => Promise<void>;
  /** Present time (epoch seconds). */
  readonly nowSec: number;
  /** Called when records may be loaded twice. */
  readonly noteTwice: () => void;
  /** Makes a name for a load of the list. */
  readonly nameLoad: () => string;
  /**
   * Whether records without a key do no harm. Such a record may be any row of the list, so each row must be
   * asked for before it is deleted.
   */
  readonly toleratesKeyless: boolean;
  /** Whether a row that the list lacks has missed a scan. */
  readonly countsMisses: boolean;
}

/**
 * One list while it is read. It knows which keys came, and at its end whether the list is whole. Records that
 * the list had at its last load are not looked at.
 */
export class OpenList {
  readonly #deps: OpenListDeps;
  readonly #stretches: Stretches | undefined;
  /** Units of the last load that did not come yet, by digest. */
  #awaited: Map<string, Unit>;
  /** The units that came. Undefined if the list cannot be known next time. */
  #units: Unit[] | undefined = [];
  #comparesAll = true;
  #records: NormalizedRecord[] = [];
  #bytes = 0;
  #seen: (readonly ColumnValue[])[] = [];
  #keyless = 0;
  /** Name of the last load of the list. */
  #version: string | undefined;
  #isTouched = false;

  constructor(deps: OpenListDeps) {
    const { content, version } = deps.known;
    this.#deps = deps;
    this.#stretches = deps.divideBy && new Stretches(deps.divideBy);
    this.#awaited = new Map(content?.units.map((unit) => [unit.digest, unit]));
    this.#version = version;
  }

  /** The page that was the whole list at its last load. Undefined if there was none. */
  get onlyPage(): Unit | undefined {
    const { content } = this.#deps.known;
    return content?.isOnePage && content.isSettled && content.units.length === 1
      ? content.units[0]
      : undefined;
  }

  async add({ items, bytes, digest, isKnown }: Page): Promise<void> {
    const breaks = new Breaks();
    if (isKnown) this.#takeKnown(digest);
    else if (this.#stretches === undefined) await this.#takeUnit({ items, digest }, { bytes, breaks });
    else
      for (const item of items) {
        this.#bytes += bytes / items.length;
        const stretch = this.#stretches.take(item);
        if (stretch !== undefined) await this.#takeUnit(stretch, { bytes: 0, breaks });
        if (breaks.due) await breaks.take();
      }
  }

  /** Prepares for another scan of the list. The records that came count as loaded, but not as seen. */
  async restart(): Promise<void> {
    this.#deps.noteTwice();
    await this.#takeRest();
    await this.#spill();
    this.#awaited = new Map();
    this.#units = [];
    this.#comparesAll = true;
    this.#seen = [];
    this.#keyless = 0;
  }

  /** Ends the list, and sends its last rows on their way. */
  async end(end: ListEnd): Promise<void> {
    await this.#takeRest();
    const { owner, take, toleratesKeyless, countsMisses } = this.#deps;
    if (end.repeats) this.#deps.noteTwice();
    const whole = countsMisses && (this.#keyless === 0 || toleratesKeyless);
    const content = whole ? this.#contentOf(end) : undefined;
    const parcel = { records: this.#records, bytes: this.#bytes, list: this.#nameLoad(), content };
    if (content !== undefined && this.#isUnchanged) await take({ ...parcel, isUnchanged: true });
    else if (end.complete && end.stable)
      await take({ ...parcel, end: { owner, alsoSeen: whole ? this.#seen : undefined } });
    else await take(parcel);
    this.#records = [];
    this.#seen = [];
  }

  /** True if the list holds what it held, and the tables hold nothing else of it. */
  get #isUnchanged(): boolean {
    const { content } = this.#deps.known;
    const isSame = this.#awaited.size === 0 && content?.units.length === this.#units?.length;
    return isSame && content?.isSettled === true && !this.#isTouched;
  }

  /** Returns the content of the list, if the tables hold it once the last records are loaded. */
  #contentOf({ complete, stable, pages, repeats, problem, note }: ListEnd): ListContent | undefined {
    const { known, nowSec } = this.#deps;
    const isPlain = complete && stable && !repeats && problem === undefined && note === undefined;
    if (!isPlain || this.#units === undefined || known.seal === undefined) return undefined;
    const comparedSec = this.#comparesAll ? nowSec : (known.content?.comparedSec ?? nowSec);
    return { seal: known.seal, comparedSec, isOnePage: pages === 1, isSettled: true, units: this.#units };
  }

  #nameLoad(): Parcel['list'] {
    const version = this.#deps.nameLoad();
    const list = { parent: this.#deps.known.id, version, replaces: this.#version };
    this.#version = version;
    return list;
  }

  async #takeRest(): Promise<void> {
    const stretch = this.#stretches?.rest();
    if (stretch !== undefined) await this.#takeUnit(stretch, { bytes: 0, breaks: new Breaks() });
  }

  async #takeUnit(
    { items, digest }: Stretch,
    { bytes, breaks }: { bytes: number; breaks: Breaks },
  ): Promise<void> {
    const { owner, keyOfRecord, openTally, takeDrift } = this.#deps;
    if (this.#takeKnown(digest)) {
      for (const item of items) this.#seen.push(keyOfRecord(item, owner?.key));
      return;
    }
    const tally = openTally();
    let isUsable = digest !== undefined;
    for (const item of items) {
      this.#bytes += bytes / items.length;
      isUsable = this.#takeRecord(item, tally) && isUsable;
      // A page may hold any number of records.
      if (this.#records.length >= SPILL_RECORDS) await this.#spill();
      if (breaks.due) await breaks.take();
    }
    takeDrift(tally);
    if (digest === undefined || !isUsable) this.#units = undefined;
    else this.#units?.push({ digest, records: items.length, drift: tally.toText() });
  }

  /** Takes a unit that the list had at its last load, unless it came already. Returns whether it had it. */
  #takeKnown(digest: string | undefined): boolean {
    const unit = digest === undefined ? undefined : this.#awaited.get(digest);
    if (unit === undefined) return false;
    this.#awaited.delete(unit.digest);
    this.#units?.push(unit);
    this.#comparesAll = false;
    this.#deps.takeKnown(unit);
    return true;
  }

  /** Takes a record. Returns whether all of it is in the rows: nothing was refused. */
  #takeRecord(item: unknown, tally: DriftTally): boolean {
    const normalized = this.#deps.normalize(item, this.#deps.owner?.key, tally);
    if ('row' in normalized) {
      this.#records.push(normalized);
      return normalized.rejects.length === 0;
    }
    if (normalized.key !== undefined) this.#seen.push(normalized.key);
    else this.#keyless += 1;
    return false;
  }

  async #spill(): Promise<void> {
    const records = this.#records;
    this.#isTouched = true;
    for (const record of records) this.#seen.push(this.#deps.keyOf(record));
    this.#records = [];
    const bytes = this.#bytes;
    this.#bytes = 0;
    await this.#deps.take({ records, bytes, list: this.#nameLoad() });
  }
}

import { Breaks } from '../../breaks.ts';
import type { NormalizedRecord } from '../../normalize/records.ts';
import type { Page } from '../../platform/platform.ts';
import type { ColumnValue, RawRecord } from '../../streams/define.ts';

/** Records that a list collects before it hands them on. Fewer records wait for the end of the list. */
const SPILL_RECORDS = 500;

/** The row that a list belongs to: its key columns, and their JSON text. */
export interface ListOwner {
  readonly key: RawRecord;
  readonly id: string;
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
}

/** Records on their way to the tables, and the end of the list that they come from. */
export interface Parcel {
  readonly records: readonly NormalizedRecord[];
  readonly bytes: number;
  /** Given once, with the last records of a list that was read well: the list is whole with them. */
  readonly end?: {
    readonly owner: ListOwner | undefined;
    /**
     * Keys that the list holds besides the records. All other rows of the list are missing. Undefined if no
     * row counts as missing, for example because a record without a key may be any row.
     */
    readonly alsoSeen: readonly (readonly ColumnValue[])[] | undefined;
  };
}

export interface OpenListDeps {
  readonly owner: ListOwner | undefined;
  /** Normalizes a record. Keeps a reject if the record cannot be a row. */
  readonly normalize: (
    record: unknown,
    owner: RawRecord | undefined,
  ) => NormalizedRecord | { readonly key?: readonly ColumnValue[] };
  readonly keyOf: (record: NormalizedRecord) => readonly ColumnValue[];
  /** Takes records over. Resolves when there is room for more. */
  readonly take: (parcel: Parcel) => Promise<void>;
  /**
   * Whether records without a key do no harm. Such a record may be any row of the list, so each row must be
   * asked for before it is deleted.
   */
  readonly toleratesKeyless: boolean;
  /** Whether a row that the list lacks has missed a scan. */
  readonly countsMisses: boolean;
}

/** One list while it is read. It knows which keys came, and at its end whether the list is whole. */
export class OpenList {
  readonly #deps: OpenListDeps;
  #records: NormalizedRecord[] = [];
  #bytes = 0;
  #seen: (readonly ColumnValue[])[] = [];
  #keyless = 0;

  constructor(parts: OpenListDeps) {
    this.#deps = parts;
  }

  async add({ items, bytes }: Page): Promise<void> {
    const { normalize, owner } = this.#deps;
    const breaks = new Breaks();
    for (const item of items) {
      this.#bytes += bytes / items.length;
      const normalized = normalize(item, owner?.key);
      if ('row' in normalized) this.#records.push(normalized);
      else if (normalized.key !== undefined) this.#seen.push(normalized.key);
      else this.#keyless += 1;
      // A page may hold any number of records.
      if (this.#records.length >= SPILL_RECORDS) await this.#spill();
      if (breaks.due) await breaks.take();
    }
  }

  /** Prepares for another scan of the list. The records that came count as loaded, but not as seen. */
  async restart(): Promise<void> {
    await this.#spill();
    this.#seen = [];
    this.#keyless = 0;
  }

  /** Ends the list, and sends its last rows on their way. */
  async end({ complete, stable }: ListEnd): Promise<void> {
    const { owner, take, toleratesKeyless, countsMisses } = this.#deps;
    const whole = countsMisses && (this.#keyless === 0 || toleratesKeyless);
    const parcel = { records: this.#records, bytes: this.#bytes };
    await take(
      complete && stable ? { ...parcel, end: { owner, alsoSeen: whole ? this.#seen : undefined } } : parcel,
    );
    this.#records = [];
    this.#seen = [];
  }

  async #spill(): Promise<void> {
    const records = this.#records;
    for (const record of records) this.#seen.push(this.#deps.keyOf(record));
    this.#records = [];
    const bytes = this.#bytes;
    this.#bytes = 0;
    await this.#deps.take({ records, bytes });
  }
}

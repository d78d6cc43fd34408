import { Breaks } from '../../breaks.ts';
import type { NormalizedRecord } from '../../normalize/records.ts';
import type { Page } from '../../platform/platform.ts';
import type { ColumnValue, RawRecord } from '../../streams/define.ts';

/** Records of one list are handed on when so many have come; until then they wait for the list's end. */
const SPILL_RECORDS = 500;

/** The row that a list belongs to: its key columns, and their JSON text. */
export interface ListOwner {
  readonly key: RawRecord;
  readonly id: string;
}

/** The owner with this key. The ledger knows it by the id. */
export function makeOwner(key: RawRecord): ListOwner {
  return { key, id: JSON.stringify(Object.values(key)) };
}

/** What became of the reading of a list. */
export interface ListEnd {
  /** Read to its proven end. */
  readonly complete: boolean;
  /** Did not change meanwhile. */
  readonly stable: boolean;
}

/** Records on their way to the tables, and what is known of the list that they come from. */
export interface Parcel {
  readonly records: readonly NormalizedRecord[];
  readonly bytes: number;
  /** Given once, with the last records of a list that was read well: nothing else belongs to it. */
  readonly end?: {
    readonly owner: ListOwner | undefined;
    /** Rows that the list lacks are missing; undefined where nothing follows from that, as where an entry without a key may be one of them. */
    readonly alsoSeen: readonly (readonly ColumnValue[])[] | undefined;
  };
}

export interface OpenListDeps {
  readonly owner: ListOwner | undefined;
  /** Normalizes a record; keeps what cannot be a row. */
  readonly normalize: (
    record: unknown,
    owner: RawRecord | undefined,
  ) => NormalizedRecord | { readonly key?: readonly ColumnValue[] };
  readonly keyOf: (record: NormalizedRecord) => readonly ColumnValue[];
  /** Takes records over; resolves when there is room for more. */
  readonly take: (parcel: Parcel) => Promise<void>;
  /** An entry without a key may be any row of the list; where rows are asked for one by one before they are deleted, that does no harm. */
  readonly toleratesKeyless: boolean;
  /** Whether a row that the list lacks has missed a scan. */
  readonly countsMisses: boolean;
}

/** The records of one list while it is read: which keys came, and whether the list is whole at its end. */
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
      // A page may hold any number of entries.
      if (this.#records.length >= SPILL_RECORDS) await this.#spill();
      if (breaks.due) await breaks.take();
    }
  }

  /** The list is read once more: what came counts as loaded, and not as seen. */
  async restart(): Promise<void> {
    await this.#spill();
    this.#seen = [];
    this.#keyless = 0;
  }

  /** The list has ended; its rows are on their way. */
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

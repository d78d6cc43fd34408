import { CellScanner } from './cell-scanner.ts';
import { GrowingColumn } from './growing-column.ts';
import type { PackedColumn } from './history-rows.ts';

const [quote, comma, openBracket, closeBracket, colon] = [0x22, 0x2c, 0x5b, 0x5d, 0x3a] as const;

/**
 * Reads arrays of rows, like `[["2024-05-01T08:00:00Z",1.5],…]`, from the bytes of a reply into columns. The
 * scanner knows what most replies hold: numbers (with every digit of whole ones), texts, nulls, booleans, and
 * times in UTC. An array that holds anything else is left to the parser of JSON.
 */
export class RowScanner extends CellScanner {
  #start = 0;
  readonly #columns: GrowingColumn[] = [];
  /** The columns of the array that is read. The others are kept for wider arrays. */
  #width = 0;
  #rows = 0;

  /** Where the array begins that was read last. */
  get start(): number {
    return this.#start;
  }

  /** The place behind the array that was read last. */
  get end(): number {
    return this.at;
  }

  /** Begins with the array that is the value of a key. Returns false if the value is no array. */
  begin(behindKey: number): boolean {
    this.at = behindKey;
    this.#width = 0;
    this.#rows = 0;
    if (!this.take(colon)) return false;
    this.peek();
    this.#start = this.at;
    return this.take(openBracket);
  }

  /** Reads up to `atMost` further rows. Returns `unusual` if the array holds anything else, or is broken. */
  scanRows(atMost: number): 'more' | 'end' | 'unusual' {
    if (this.#rows === 0 && this.take(closeBracket)) return 'end';
    for (const last = this.#rows + atMost; this.#rows < last; ) {
      if (!this.#scanRow(this.#rows)) return 'unusual';
      this.#rows += 1;
      if (this.take(comma)) continue;
      return this.take(closeBracket) && this.#readTexts() ? 'end' : 'unusual';
    }
    return this.#readTexts() ? 'more' : 'unusual';
  }

  /** Returns the columns that were read, once all rows were read. */
  finish(): readonly PackedColumn[] {
    return this.#columns.slice(0, this.#width).map((column) => column.finish());
  }

  #scanRow(k: number): boolean {
    if (!this.take(openBracket)) return false;
    for (let at = 0; ; at += 1) {
      if (k === 0) this.#beginColumn(at);
      if (at >= this.#width || !this.scanCell(this.#columns[at] as GrowingColumn)) return false;
      if (this.take(comma)) continue;
      return at === this.#width - 1 && this.take(closeBracket);
    }
  }

  /** Begins a column by its first cell: if that is a time in UTC, all cells have to be times. */
  #beginColumn(at: number): void {
    this.#columns[at] ??= new GrowingColumn();
    const column = this.#columns[at];
    this.#width = at + 1;
    column.begin(true);
    if (this.peek() === quote) {
      const start = this.at;
      const isTime = this.scanTime(column);
      this.at = start;
      column.begin(isTime);
    } else column.begin(false);
  }

  #readTexts(): boolean {
    for (let at = 0; at < this.#width; at += 1) if (!this.#columns[at]?.readTexts()) return false;
    return true;
  }
}

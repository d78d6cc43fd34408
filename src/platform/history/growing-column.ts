import { parseJson } from '../json/json.ts';
import type { Cell, PackedColumn } from './history-rows.ts';

const [comma, openBracket, closeBracket] = [0x2c, 0x5b, 0x5d] as const;
const FIRST_CELLS = 1_024;
const FIRST_TEXT_BYTES = 16 * 1_024;
/** Larger texts are left to the parser that reads them in parts. */
const MAX_TEXT_BYTES = 256 * 1_024;

/**
 * Collects the cells of one column. While all cells are numbers they lie in memory that is used again for the
 * next column, and no garbage is made. Texts are collected as they are written, and parsed many at once.
 */
export class GrowingColumn {
  isTime = false;
  #numbers = new Float64Array(FIRST_CELLS);
  #length = 0;
  /** All cells, once one of them is no number. */
  #list: Cell[] | undefined;
  /** The texts that were not parsed yet, each with a comma behind it. The first byte is for a bracket. */
  #texts = Buffer.allocUnsafe(0);
  #textBytes = 1;
  /** The places of these texts in the list. */
  #places: number[] = [];

  /** Begins with an empty column. */
  begin(isTime: boolean): void {
    this.isTime = isTime;
    this.#length = 0;
    this.#list = undefined;
    this.#textBytes = 1;
    this.#places = [];
  }

  addNumber(number: number): void {
    if (this.#list !== undefined) {
      this.#list.push(number);
      return;
    }
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }

  add(cell: Cell): void {
    this.#list ??= this.#copyNumbers();
    this.#list.push(cell);
  }

  /** Adds a text of JSON, from its first quotation mark to behind its last one. */
  addText(bytes: Buffer, from: number, to: number): void {
    this.#list ??= this.#copyNumbers();
    this.#places.push(this.#list.length);
    this.#list.push(null);
    if (this.#textBytes + to - from >= this.#texts.length) this.#growTexts(to - from);
    const texts = this.#texts;
    let at = this.#textBytes;
    for (let k = from; k < to; k += 1) texts[at++] = bytes[k] as number;
    texts[at] = comma;
    this.#textBytes = at + 1;
  }

  /** Parses the texts that were added. Returns false if they are no JSON, or very long. */
  readTexts(): boolean {
    const list = this.#list;
    if (list === undefined || this.#places.length === 0) return true;
    if (this.#textBytes > MAX_TEXT_BYTES) return false;
    // The first byte is the bracket, and the last one the comma behind the last text.
    this.#texts[0] = openBracket;
    this.#texts[this.#textBytes - 1] = closeBracket;
    let texts: Cell[];
    try {
      texts = parseJson(this.#texts.toString('utf8', 0, this.#textBytes)) as Cell[];
    } catch {
      return false;
    }
    for (let k = 0; k < texts.length; k += 1) list[this.#places[k] as number] = texts[k] as Cell;
    this.#textBytes = 1;
    this.#places = [];
    return true;
  }

  finish(): PackedColumn {
    return { isTime: this.isTime, cells: this.#list ?? this.#copyNumbers() };
  }

  #copyNumbers(): number[] {
    const copy = new Array<number>(this.#length);
    for (let k = 0; k < copy.length; k += 1) copy[k] = this.#numbers[k] as number;
    return copy;
  }

  #growTexts(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.max(FIRST_TEXT_BYTES, 2 * (this.#textBytes + bytes + 1)));
    this.#texts.copy(larger, 0, 0, this.#textBytes);
    this.#texts = larger;
  }
}

/**
 * Rows of numbers in one block of memory. A dozen numbers in an object each would cost several times as much
 * to make and to forget. A row is known by its position: the index of its first number. A number that is
 * missing is NaN.
 */
export class NumberRows {
  readonly width: number;
  #numbers: Float64Array;
  #used = 0;

  /** @param capacity rows for which there is room at once; more are added at the cost of a copy */
  constructor(width: number, capacity = 16) {
    this.width = width;
    this.#numbers = new Float64Array(width * capacity);
  }

  /** Reads rows from the bytes of `toBytes`. */
  static fromBytes(width: number, bytes: Buffer): NumberRows {
    const rows = new NumberRows(width, 0);
    // An array of doubles has to lie at a multiple of eight bytes, as a copy does.
    const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
    rows.#numbers = new Float64Array(buffer, byteOffset, bytes.length / Float64Array.BYTES_PER_ELEMENT);
    rows.#used = rows.#numbers.length;
    return rows;
  }

  /** The number of rows. */
  get length(): number {
    return this.#used / this.width;
  }

  /** Position of the row that is added next. All rows before it lie at multiples of the width. */
  get end(): number {
    return this.#used;
  }

  get(position: number, column: number): number {
    return this.#numbers[position + column] as number;
  }

  set(position: number, column: number, value: number): void {
    this.#numbers[position + column] = value;
  }

  increase(position: number, column: number, by: number): void {
    this.#numbers[position + column] = this.get(position, column) + by;
  }

  /** Adds a row, and returns its position. All its numbers are 0. */
  add(): number {
    const position = this.#used;
    this.#used += this.width;
    if (this.#used > this.#numbers.length) {
      const grown = new Float64Array(this.#numbers.length * 2 + this.width);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    return position;
  }

  /** Adds a copy of a row of other rows, and returns its position. Columns that those lack are 0. */
  addFrom(other: NumberRows, position: number): number {
    const own = this.add();
    const width = Math.min(this.width, other.width);
    for (let column = 0; column < width; column += 1)
      this.#numbers[own + column] = other.get(position, column);
    return own;
  }

  /** Lists the positions of the rows from a position on. */
  positions(from = 0): number[] {
    const positions: number[] = [];
    for (let position = from; position < this.#used; position += this.width) positions.push(position);
    return positions;
  }

  /** Returns the rows whose positions are chosen: the same rows if all are. */
  filter(isChosen: (position: number) => boolean): NumberRows {
    const positions = this.positions().filter(isChosen);
    if (positions.length === this.length) return this;
    const chosen = new NumberRows(this.width, positions.length);
    for (const position of positions) chosen.addFrom(this, position);
    return chosen;
  }

  toBytes(): Buffer {
    return Buffer.from(this.#numbers.buffer, 0, this.#used * Float64Array.BYTES_PER_ELEMENT);
  }
}

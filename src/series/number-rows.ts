/**
 * Rows of numbers in one block of memory. A dozen numbers in an object each would cost several times as much
 * to make and to forget. A row is known by its position: the index of its first number. A number that is
 * missing is NaN.
 */
export class NumberRows {
  readonly width: number;
  #numbers: Float64Array;
  #used = 0;

  constructor(width: number, numbers: Float64Array | undefined = undefined) {
    this.width = width;
    this.#numbers = numbers ?? new Float64Array(width * 16);
    this.#used = numbers?.length ?? 0;
  }

  /** Reads rows from the bytes of `toBytes`. */
  static fromBytes(width: number, bytes: Buffer): NumberRows {
    // A copy lies at a multiple of eight bytes, as an array of doubles has to.
    return new NumberRows(width, new Float64Array(Uint8Array.from(bytes).buffer));
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

  /** Adds a copy of a row of other rows, and returns its position. Numbers that only one of them has are 0. */
  addFrom(other: NumberRows, position: number): number {
    const own = this.add();
    const width = Math.min(this.width, other.width);
    for (let column = 0; column < width; column += 1)
      this.#numbers[own + column] = other.get(position, column);
    return own;
  }

  /** Lists the positions of all rows. */
  positions(): number[] {
    return Array.from({ length: this.length }, (_, k) => k * this.width);
  }

  /** Returns the rows whose position is chosen. */
  filter(isChosen: (position: number) => boolean): NumberRows {
    const chosen = new NumberRows(this.width);
    for (let position = 0; position < this.#used; position += this.width)
      if (isChosen(position)) chosen.addFrom(this, position);
    return chosen;
  }

  toBytes(): Buffer {
    return Buffer.from(this.#numbers.buffer, 0, this.#used * Float64Array.BYTES_PER_ELEMENT);
  }
}

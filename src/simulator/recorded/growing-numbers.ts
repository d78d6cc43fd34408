/** Numbers whose count is not known beforehand, eight bytes each. */
export class GrowingNumbers {
  #numbers = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }

  /** Returns all numbers in an array of their exact length. */
  pack(): Float64Array {
    return this.#numbers.slice(0, this.#length);
  }
}

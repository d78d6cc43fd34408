/** The time that a call has. It begins when its first request may go out: waiting behind other calls costs nothing. */
export class Deadline {
  readonly #allowedMs: number;
  readonly #clock: () => number;
  #endsAtMs: number | undefined;

  constructor(allowedMs: number, clock: () => number) {
    this.#allowedMs = allowedMs;
    this.#clock = clock;
  }

  get hasBegun(): boolean {
    return this.#endsAtMs !== undefined;
  }

  begin(): void {
    this.#endsAtMs ??= this.#clock() + this.#allowedMs;
  }

  remainingMs(): number {
    return this.#endsAtMs === undefined ? this.#allowedMs : this.#endsAtMs - this.#clock();
  }
}

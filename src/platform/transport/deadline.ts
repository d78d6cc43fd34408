/**
 * Measures the time that a call has. The time begins with the call's first request: waiting behind other
 * calls costs nothing.
 */
export class Deadline {
  readonly #allowedMs: number;
  readonly #steadyMs: () => number;
  #endsAtMs: number | undefined;

  constructor(allowedMs: number, steadyMs: () => number) {
    this.#allowedMs = allowedMs;
    this.#steadyMs = steadyMs;
  }

  get hasBegun(): boolean {
    return this.#endsAtMs !== undefined;
  }

  begin(): void {
    this.#endsAtMs ??= this.#steadyMs() + this.#allowedMs;
  }

  remainingMs(): number {
    return this.#endsAtMs === undefined ? this.#allowedMs : this.#endsAtMs - this.#steadyMs();
  }
}

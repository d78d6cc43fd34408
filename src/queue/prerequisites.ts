import { steadyMs } from '../steady-clock.ts';
import type { EngineOptions } from './engine.ts';

/** The ledger is asked at most once in this time, however many jobs wait. */
const ASK_AGAIN_MS = 2_000;

/** Knows which jobs have ever succeeded, in any process. A success stays true for ever. */
export class Prerequisites {
  readonly #readLastSuccesses: EngineOptions['readLastSuccesses'];
  readonly #succeeded = new Set<string>();
  #asked: { readonly atMs: number; readonly reply: Promise<void> } | undefined;

  constructor({ readLastSuccesses }: Pick<EngineOptions, 'readLastSuccesses'>) {
    this.#readLastSuccesses = readLastSuccesses;
  }

  note(name: string): void {
    this.#succeeded.add(name);
  }

  /**
   * Resolves to true if all these jobs have succeeded. Rejects with the ledger's error if the ledger has to
   * be asked and does not answer.
   */
  async areMet(names: readonly string[]): Promise<boolean> {
    const isMet = () => names.every((name) => this.#succeeded.has(name));
    if (!isMet()) await this.#ask();
    return isMet();
  }

  #ask(): Promise<void> {
    const nowMs = steadyMs();
    if (this.#asked === undefined || nowMs - this.#asked.atMs >= ASK_AGAIN_MS)
      this.#asked = { atMs: nowMs, reply: this.#read() };
    return this.#asked.reply;
  }

  async #read(): Promise<void> {
    for (const name of (await this.#readLastSuccesses()).keys()) this.#succeeded.add(name);
  }
}

import { StoreError } from '../../errors.ts';

type StoreErrorCode = ConstructorParameters<typeof StoreError>[0];

export interface MissingDatabase {
  /** The name of the server and the database for people. */
  readonly label: string;
  /** The databases that the server lists. */
  readonly databases?: readonly string[];
  readonly cause?: unknown;
}

/**
 * The server answers, but does not have the database: it was never made, was dropped, or has another name.
 */
export class MissingDatabaseError extends StoreError {
  readonly label: string;
  readonly databases: readonly string[];
  readonly #code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, { label, databases = [], cause }: MissingDatabase) {
    super(code, message, { action: 'stop', cause });
    this.#code = code;
    this.label = label;
    this.databases = databases;
  }

  /** The same failure with another message. */
  inOtherWords(message: string): StoreError {
    return new StoreError(this.#code, message, { action: 'stop', cause: this });
  }
}

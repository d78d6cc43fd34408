import { StoreError } from '../../../errors.ts';

/** The server is there, and the database is not: it was never made, was dropped, or is called otherwise. */
export class MissingDatabaseError extends StoreError {
  constructor(
    message: string,
    store: string,
    /** The databases that the server has, as far as it tells. */
    readonly databases: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, store, 'stop', options);
  }
}

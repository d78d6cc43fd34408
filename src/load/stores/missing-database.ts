import { StoreError } from '../../errors.ts';

/**
 * The server answers, but does not have the database: it was never made, was dropped, or has another name.
 */
export class MissingDatabaseError extends StoreError {
  constructor(
    message: string,
    /** The name of the server and the database for people. */
    readonly label: string,
    /** The databases that the server lists. */
    readonly databases: readonly string[] = [],
    cause?: unknown,
  ) {
    super('influx.missing_database', message, { action: 'stop', cause });
  }
}

import { inject } from 'vitest';
import { makeDatabase, type TestDatabase } from './postgres.ts';
import { openRedisDatabase, type TestRedis } from './redis.ts';
import type { SharedServers } from './setup.ts';

export { startInflux, startVictoria } from './influx.ts';
export { startPostgres, type TestDatabase, type TestPostgres } from './postgres.ts';
export type { TestServer } from './process.ts';
export { startRedis, type TestRedis } from './redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    servers: SharedServers;
  }
}

/**
 * Makes an empty database on the PostgreSQL that all tests of a run share. Give it back by `drop` in
 * `afterAll`.
 */
export function createDatabase(): Promise<TestDatabase> {
  return makeDatabase(inject('servers').postgres);
}

/**
 * Makes a database as `createDatabase` does, with a ledger that is up to date. Every start of the program but
 * the first finds the ledger like that.
 */
export function createDatabaseWithLedger(): Promise<TestDatabase> {
  const { postgres, templates } = inject('servers');
  return makeDatabase(postgres, templates.ledger);
}

/** Makes a database as `createDatabase` does, with a ledger, tables and views that are up to date. */
export function createMigratedDatabase(): Promise<TestDatabase> {
  const { postgres, templates } = inject('servers');
  return makeDatabase(postgres, templates.migrated);
}

/**
 * Opens an empty database of the Redis that all tests of a run share. A test that stops the server starts its
 * own.
 */
export function openRedis(): Promise<TestRedis> {
  return openRedisDatabase(inject('servers').redis.url);
}

/** Returns the InfluxDB 1.x that all tests of a run share. Use a database with a name of your own. */
export function sharedInflux(): { url: string } {
  return inject('servers').influx;
}

/** Returns the VictoriaMetrics that all tests of a run share. Use label values of your own. */
export function sharedVictoria(): { url: string } {
  return inject('servers').victoria;
}

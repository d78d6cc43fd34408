import type { InfluxOptions } from '../../src/load/stores/influx/options.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { openInfluxReader, type StoredPoints } from './influx/influx-reader.ts';
import { givenInfluxTwo, makeBucket } from './influx/influx-two.ts';
import { createMigratedDatabase, sharedInflux, type TestDatabase } from './servers/servers.ts';

/** A range that holds every point, in epoch microseconds. */
const ALWAYS = { from: 0, to: 4e15 };

/** Reads from a Postgres database. */
export interface DatabaseReader {
  readonly db: Database;
  /**
   * Returns the rows of a query: the value of a single column, or an array of the values of several columns.
   */
  rows(sql: string): Promise<unknown[]>;
  /** Counts the rows of a table of the data schema. */
  count(table: string): Promise<number>;
}

/**
 * A Postgres database and an empty database or bucket of InfluxDB, with the configuration that leads to them.
 */
export interface PlantDatabases extends DatabaseReader {
  /** The name of both databases, or of the bucket. */
  readonly name: string;
  /** The sections `postgres` and `influx` of a configuration. */
  readonly sections: {
    postgres: { url: string; password: string };
    influx: InfluxOptions;
  };
  influxPoints(name: string, measurement?: string): Promise<StoredPoints>;
  close(): Promise<void>;
}

export function readDatabase(db: Database): DatabaseReader {
  const rows: DatabaseReader['rows'] = async (sql) => {
    const result = await db.query<Record<string, unknown>>(sql);
    return result.rows.map((row) => {
      const values = Object.values(row);
      return values.length === 1 ? values[0] : values;
    });
  };
  return {
    db,
    rows,
    count: async (table) => Number((await rows(`select count(*) from plant.${table}`))[0]),
  };
}

/** Makes the databases of a plant. `create` makes the Postgres database, which is migrated by default. */
export async function makePlantDatabases(
  create: () => Promise<TestDatabase> = createMigratedDatabase,
): Promise<PlantDatabases> {
  const made = await create();
  const db = openPostgres(made.options, silentLog);
  const two = givenInfluxTwo();
  const influx =
    two === undefined
      ? { url: sharedInflux().url, version: 1 as const, database: made.name }
      : await makeBucket(two, { name: made.name });
  return {
    ...readDatabase(db),
    name: made.name,
    sections: { postgres: { url: made.options.url, password: made.options.password ?? '' }, influx },
    async influxPoints(name, measurement) {
      const [object = '', property = ''] = name.split('.');
      const reader = openInfluxReader(influx, measurement);
      try {
        return await reader.points({ object, property }, ALWAYS);
      } finally {
        await reader.close();
      }
    },
    async close() {
      await db.close();
      await made.drop();
    },
  };
}

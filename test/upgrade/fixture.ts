import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { PostgresOptions } from '../../src/postgres/connect.ts';
import type { InfluxPlace } from './dump-influx.ts';
import { restoreInflux } from './dump-influx.ts';

/**
 * The addresses in the fixture, instead of the real ones: of the platform, and of InfluxDB without its
 * scheme.
 */
export const PLATFORM_MARK = 'http://platform.upgrade.test:1';
export const INFLUX_MARK = 'influx.upgrade.test:1';
/** The name of the InfluxDB database, which is a part of the store's identity. */
export const DATABASE_MARK = 'upgrade_database';

/** The real addresses. */
export interface Places {
  readonly platform: string;
  readonly influx: InfluxPlace;
}

/** The data that a version left: its Postgres schemas as SQL, its InfluxDB database as line protocol. */
export interface Fixture {
  readonly sql: string;
  readonly lines: string;
}

const fileOf = (version: string, name: string) =>
  fileURLToPath(new URL(join(version, `${name}.gz`), import.meta.url));

/** Writes the data that a version left, with the real addresses replaced. */
export async function keepFixture(version: string, { sql, lines }: Fixture, places: Places): Promise<void> {
  const pairs = marksOf(places).map(([mark, real]) => [real, mark] as const);
  await writeFile(fileOf(version, 'postgres.sql'), gzipSync(replaceAll(sql, pairs), { level: 9 }));
  await writeFile(fileOf(version, 'influx.lines'), gzipSync(lines, { level: 9 }));
}

/**
 * Loads the data that a version left into empty databases. The ledger then names the stores at `influxHost`,
 * or at the address of InfluxDB.
 */
export async function restoreFixture(
  version: string,
  { postgres, influxHost, ...places }: Places & { postgres: PostgresOptions; influxHost?: string },
): Promise<void> {
  const read = async (name: string) => gunzipSync(await readFile(fileOf(version, name))).toString();
  const pairs = marksOf(places).map(
    ([mark, real]) => [mark, mark === INFLUX_MARK ? (influxHost ?? real) : real] as const,
  );
  await restoreInflux(places.influx, await read('influx.lines'));
  await runSql(postgres, replaceAll(await read('postgres.sql'), pairs));
}

/** Runs statements on a connection of their own. */
export async function runSql({ url, password }: PostgresOptions, sql: string): Promise<void> {
  const address = new URL(url);
  if (password !== undefined) address.searchParams.set('password', password);
  const db = new Client({ connectionString: address.href });
  await db.connect();
  try {
    await db.query(sql);
  } finally {
    await db.end();
  }
}

function marksOf({ platform, influx }: Places): [mark: string, real: string][] {
  return [
    [PLATFORM_MARK, platform],
    [INFLUX_MARK, new URL(influx.url).host],
    [DATABASE_MARK, influx.database],
  ];
}

function replaceAll(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

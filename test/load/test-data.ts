import fc from 'fast-check';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import type { Quality, SeriesPoints } from '../../src/series/types.ts';
import { createDatabase } from '../support/servers/servers.ts';

/** Opens a database of its own with the schema `plant`. */
export async function openTestDatabase(): Promise<{ db: Database; close(): Promise<void> }> {
  const made = await createDatabase();
  const db = openPostgres(made.options, silentLog);
  await db.query('create schema plant');
  return {
    db,
    async close() {
      await db.close();
      await made.drop();
    },
  };
}

/**
 * Opens a test database that also has the tables of the ledger in the schema `plantsync`, for rows whose
 * changes are noted.
 */
export async function openLedgerDatabase(): Promise<{ db: Database; close(): Promise<void> }> {
  const opened = await openTestDatabase();
  await migrate(opened.db, defaultSchemas);
  return opened;
}

/** Text with everything that is awkward in some format, and nothing that Postgres cannot hold. */
export const awkwardText = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '',
      ' ',
      '\\',
      '\\N',
      '\t',
      '\n',
      '\r\n',
      '\\.',
      '"',
      "'",
      ',',
      '{x}',
      'NULL',
      '泵1 – Größe',
      '\u0001',
      '\u{1f4a7}',
      'x'.repeat(3000),
    ),
  )
  .map((text) => text.replaceAll('\0', ''));

/** Times that a double holds exactly and Postgres accepts, around the dates that matter. */
export const times = fc.oneof(
  fc.integer({ min: -8_000_000_000_000_000, max: 8_900_000_000_000_000 }),
  fc.constantFrom(0, -1, 1, 946_684_800_000_000, 4_102_444_800_000_000, 1_709_251_199_999_999),
);

/** Makes points of one series from `[time, value, text?]` entries. */
export function pointsOf(
  id: number,
  entries: readonly (readonly [number, number | null, string?, Quality?])[],
): SeriesPoints {
  return {
    series: { id, object: `o${id}`, property: 'p', primitiveType: 'Double' },
    times: entries.map(([time]) => time),
    values: entries.map(([, value]) => value),
    texts: entries.map(([, , text]) => text ?? null),
    qualities: entries.map(([, , , quality]) => quality ?? null),
  };
}

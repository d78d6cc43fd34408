import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../../src/ledger/migrations/all.ts';
import type { Migration } from '../../src/ledger/migrations/migration.ts';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  db = openPostgres(made.options, silentLog);
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

const names = migrations.map((step) => step.name);
const newest = migrations.at(-1)?.number ?? 0;

test('steps have ascending numbers', () => {
  const numbers = migrations.map((step) => step.number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});

test('many processes at once take every step once, also under awkward schema names', async () => {
  const schemas = { ledger: 'Led"ger; drop', data: 'Anlage 1', bi: 'bi' };
  const reports = await Promise.all(Array.from({ length: 6 }, () => migrate(db, schemas)));
  expect(reports.map((report) => report.version)).toEqual(reports.map(() => newest));
  expect(reports.flatMap((report) => report.applied)).toEqual(names);
  expect((await migrate(db, schemas)).applied).toEqual([]);
});

test('every table and column of the ledger has a comment, or a name that needs none', async () => {
  await migrate(db, { ledger: 'commented', data: 'commented_data', bi: 'bi' });
  const { rows } = await db.query(
    `select relname as table from pg_class where relkind in ('r', 'p') and obj_description(oid, 'pg_class') is null
     and relnamespace in ('commented'::regnamespace, 'commented_data'::regnamespace)`,
  );
  expect(rows).toEqual([]);
});

test('a ledger of a newer program is refused and left as it is', async () => {
  const schemas = { ledger: 'newer', data: 'newer_data', bi: 'bi' };
  const next: Migration = {
    number: newest + 1,
    name: 'future',
    sql: ({ ledger }) => `create table ${ledger}.future ()`,
  };
  await migrate(db, schemas, [...migrations, next]);
  await expect(migrate(db, schemas)).rejects.toThrow(
    `has version ${next.number}, this program knows ${newest}`,
  );
});

test('a step that fails leaves nothing of itself nor of those before', async () => {
  const schemas = { ledger: 'failing', data: 'failing_data', bi: 'bi' };
  const broken: Migration = { number: newest + 1, name: 'broken', sql: () => 'select 1 / 0' };
  await expect(migrate(db, schemas, [...migrations, broken])).rejects.toThrow(
    'migrating the ledger: PostgreSQL answers: division by zero',
  );
  const { rows } = await db.query("select from pg_namespace where nspname like 'failing%'");
  expect(rows).toEqual([]);
});

test('a name that Postgres would cut is refused before anything is made', async () => {
  await expect(migrate(db, { ledger: 'é'.repeat(32), data: 'plant', bi: 'bi' })).rejects.toThrow(
    'has 64 bytes',
  );
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureTables } from '../../src/load/rows/ensure-tables.ts';
import { ensurePointTables } from '../../src/load/stores/postgres/point-tables.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { listTables } from '../../src/streams/dictionary.ts';
import { documented as streams } from '../../src/streams/index.ts';
import { openLedgerDatabase } from '../load/test-data.ts';

const page = readFileSync(new URL('../../docs/data-dictionary.md', import.meta.url), 'utf8');

describe('the data dictionary', () => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await openLedgerDatabase());
    for (const stream of streams) await ensureTables(db, 'plant', stream, { keepRaw: true });
    await ensurePointTables(db, 'plant', ['samples']);
  });
  afterAll(() => close());

  it('describes the tables as they are in Postgres, with their comments', async () => {
    const { rows } = await db.query(
      `select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         col_description(c.oid, a.attnum) as meaning
       from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
       where c.relnamespace = 'plant'::regnamespace and c.relkind = 'r'`,
    );
    const found = new Map(rows.map((row) => [`${row.table_name}.${row.name}`, [row.type, row.meaning]]));
    for (const { name: table, columns } of listTables(streams))
      for (const { name, type, meaning } of columns) {
        const shown = type === 'timestamptz' ? 'timestamp with time zone' : type;
        expect(found.get(`${table}.${name}`), `${table}.${name}`).toEqual([shown, meaning]);
      }
  });

  it('names every column that all tables have', async () => {
    const { rows } = await db.query(
      `select distinct attname as name from pg_attribute where attrelid = 'plant.objects'::regclass and attnum > 0`,
    );
    const declared = listTables(streams).find(({ name }) => name === 'objects')?.columns ?? [];
    const names = rows
      .map(({ name }) => String(name))
      .filter((name) => !declared.some((each) => each.name === name));
    expect(names.length).toBeGreaterThan(5);
    const introduction = page.split('## Deleted rows')[0];
    for (const name of names) expect(introduction).toContain(`\`${name}\``);
  });

  it('has queries that run', async () => {
    const queries = [...page.matchAll(/```sql\n(.*?)```/gs)].flatMap(([, block]) =>
      (block ?? '').split(';\n'),
    );
    const written = queries.filter((query) => query.trim() !== '');
    expect(written).toHaveLength(4);
    for (const query of written) await db.query(query);
  });

  it('tells how to find what a row was', async () => {
    await db.query(`insert into plant.objects (name, show_name) values ('pump1', 'now')`);
    await db.query(
      `insert into plantsync.changes (table_name, key, kind, before, at) values
         ('objects', '{"name": "pump1"}', 'updated', '{"show_name": "long ago"}', '2025-01-01'),
         ('objects', '{"name": "pump1"}', 'updated', '{"show_name": "then"}', '2026-02-01'),
         ('objects', '{"name": "pump1"}', 'updated', '{"show_name": "later"}', '2026-03-01')`,
    );
    const query = /```sql\n(select coalesce.*?);\n```/s.exec(page)?.[1] ?? '';
    const { rows } = await db.query(query);
    expect(rows).toEqual([{ row_then: { show_name: 'then' } }]);
  });
});

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { BiView } from '../../src/bi/bi-view.ts';
import { ensureBi } from '../../src/bi/ensure-bi.ts';
import { biViews } from '../../src/bi/views/all.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { type BiDatabase, openBiDatabase } from './open-bi.ts';

const column = (name: string, type = 'text') => ({ name, type, about: `The ${name}.` });
const names: BiView = {
  name: 'names',
  about: "Names of objects, one row each: it's a test.",
  columns: [column('object'), column('show_name')],
  sql: ({ data }) => `select name as object, show_name from ${data}.objects`,
};
const counts: BiView = {
  name: 'counts',
  about: 'Counts names.',
  columns: [column('number', 'bigint')],
  sql: ({ bi }) => `select count(*) as number from ${bi}.names`,
};
const named: BiView = {
  name: 'named',
  takes: 'object_name text',
  about: 'Names of an object.',
  columns: [column('show_name')],
  sql: ({ bi }) => `select show_name from ${bi}.names where object = object_name`,
};
const three = [names, counts, named];
/** The same views, of which one has a column less. */
const narrow = [
  { ...names, columns: [column('show_name')], sql: () => `select 'none'::text as show_name` },
  counts,
  { ...named, sql: ({ bi }) => `select show_name from ${bi}.names` } satisfies BiView,
];

const columnsOf = (bi: BiDatabase) =>
  bi.rows(
    `select table_name, string_agg(column_name, ',' order by ordinal_position) from information_schema.columns
     where table_schema = 'bi' group by 1 order by 1`,
  );

async function makeRole(bi: BiDatabase): Promise<string> {
  const role = `role_${randomBytes(6).toString('hex')}`;
  await bi.db.query(`create role ${role} login password 'pass'`);
  onTestFinished(async () => {
    await bi.db.query(`drop owned by ${role}`);
    await bi.db.query(`drop role ${role}`);
  });
  return role;
}

async function openAs(bi: BiDatabase, role: string): Promise<BiDatabase['db']> {
  const url = new URL(bi.made.options.url);
  url.username = role;
  const db = openPostgres({ url: url.href, password: 'pass' }, silentLog);
  onTestFinished(() => db.close());
  return db;
}

test('all views are made with comments, and the tables that they read', async () => {
  const bi = await openBiDatabase();
  expect(await ensureBi(bi.db, bi.options)).toBe('made');
  expect(await ensureBi(bi.db, bi.options)).toBe('up to date');
  const made = await bi.rows(
    `select relname from pg_class where relnamespace = 'bi'::regnamespace and relkind = 'v'
     union select proname from pg_proc where pronamespace = 'bi'::regnamespace`,
  );
  expect(made.flat().sort()).toEqual(biViews.map(({ name }) => name).sort());
  expect(await bi.rows(`select obj_description('bi'::regnamespace, 'pg_namespace')`)).not.toEqual([[null]]);
});

test('each view has the columns and types that are declared, each with its comment', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options);
  const found = await bi.rows(
    `select c.relname, obj_description(c.oid, 'pg_class'),
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
         'about', col_description(c.oid, a.attnum)) order by a.attnum)
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'bi'::regnamespace and c.relkind = 'v' group by 1, 2, c.oid`,
  );
  const written = async (type: string) => (await bi.rows(`select '${type}'::regtype::text`))[0]?.[0];
  for (const view of biViews.filter(({ takes }) => takes === undefined)) {
    const columns = await Promise.all(
      view.columns.map(async ({ name, type, about }) => ({ name, type: await written(type), about })),
    );
    expect(found.find(([name]) => name === view.name)).toEqual([view.name, view.about, columns]);
  }
  for (const view of biViews.filter(({ takes }) => takes !== undefined)) {
    const [row] = await bi.rows(
      `select obj_description(oid, 'pg_proc') from pg_proc
       where pronamespace = 'bi'::regnamespace and proname = '${view.name}'`,
    );
    for (const { about } of [view, ...view.columns]) expect(row?.[0]).toContain(about);
  }
});

test('many processes at once make the views once', async () => {
  const bi = await openBiDatabase();
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => ensureBi(bi.db, bi.options, three)));
  expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'up to date')).toHaveLength(4);
});

test('another time zone makes the views again', async () => {
  const bi = await openBiDatabase();
  const hour: BiView = {
    name: 'hour',
    about: 'An hour.',
    columns: [column('local', 'timestamp')],
    sql: ({ zone }) => `select timestamptz '2026-07-01T00:00Z' at time zone ${zone} as local`,
  };
  const read = async () => (await bi.rows('select local::text from bi.hour'))[0]?.[0];
  await ensureBi(bi.db, bi.options, [hour]);
  expect(await read()).toBe('2026-07-01 02:00:00');
  expect(await ensureBi(bi.db, { ...bi.options, zone: 'Asia/Shanghai' }, [hour])).toBe('made');
  expect(await read()).toBe('2026-07-01 08:00:00');
});

test('a time zone that the server does not know is refused, and the views stay', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options, three);
  await expect(ensureBi(bi.db, { ...bi.options, zone: 'Mars/Olympus' }, three)).rejects.toMatchObject({
    code: 'postgres.refused_value',
    message: expect.stringContaining('Mars/Olympus'),
  });
  expect(await ensureBi(bi.db, bi.options, three)).toBe('up to date');
});

test.each([
  ['the schema', 'drop schema bi cascade'],
  ['a view', 'drop view bi.names cascade'],
  ['a function', 'drop function bi.named'],
  ['a table that a view reads', 'drop table plant.objects cascade'],
])('%s that somebody dropped is made again', async (_, drop) => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options, three);
  await bi.db.query(drop);
  expect(await ensureBi(bi.db, bi.options, three)).toBe('made');
  expect(await columnsOf(bi)).toEqual([
    ['counts', 'number'],
    ['names', 'object,show_name'],
  ]);
  expect(await bi.rows(`select * from bi.named('x')`)).toEqual([]);
});

test('views follow to the new table after a table was renamed', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options, three);
  await bi.db.query(`insert into plant.objects (name) values ('old'), ('older')`);
  await bi.db.query('alter table plant.objects rename to objects_before');
  expect(await ensureBi(bi.db, bi.options, three)).toBe('made');
  expect(await bi.rows('select number from bi.counts')).toEqual([[0]]);
});

test('a change of columns makes the views again, and all rights stay', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options, three);
  const role = await makeRole(bi);
  await bi.db.query(`grant select on bi.names to ${role} with grant option`);
  await bi.db.query(`grant select (number) on bi.counts to ${role}`);
  await bi.db.query(`grant select on bi.counts to public`);
  await bi.db.query(`revoke execute on function bi.named(text) from public`);
  await bi.db.query(`grant execute on function bi.named(text) to ${role}`);
  const rights = () =>
    bi.rows(
      `select relname::text, relacl::text, (select string_agg(attacl::text, ' ') from pg_attribute where attrelid = c.oid)
       from pg_class as c where relnamespace = 'bi'::regnamespace
       union all select proname, proacl::text, null from pg_proc where pronamespace = 'bi'::regnamespace order by 1`,
    );
  const before = await rights();
  expect(await ensureBi(bi.db, bi.options, narrow)).toBe('made');
  expect(await columnsOf(bi)).toEqual([
    ['counts', 'number'],
    ['names', 'show_name'],
  ]);
  expect(await rights()).toEqual(before);
});

test('views and arguments that are no longer wanted are dropped', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options, three);
  const other: BiView = { ...named, takes: 'object_name text, other text' };
  expect(await ensureBi(bi.db, bi.options, [names, other])).toBe('made');
  expect(await columnsOf(bi)).toEqual([['names', 'object,show_name']]);
  expect(
    await bi.rows(`select oid::regprocedure::text from pg_proc where pronamespace = 'bi'::regnamespace`),
  ).toEqual([['bi.named(text,text)']]);
});

test('a view of somebody else that depends on ours is named, and all views stay as they were', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, bi.options, three);
  await bi.db.query('create view public.mine as select object from bi.names');
  // A change that takes no column away does not touch it.
  const wider = [{ ...names, about: 'All names.' }, counts, named];
  expect(await ensureBi(bi.db, bi.options, wider)).toBe('made');
  await expect(ensureBi(bi.db, bi.options, narrow)).rejects.toMatchObject({
    code: 'postgres.views_in_use',
    action: 'stop',
    message: expect.stringContaining('view mine depends on view bi.names'),
  });
  expect(await columnsOf(bi)).toContainEqual(['names', 'object,show_name']);
  expect(await bi.rows('select * from public.mine')).toEqual([]);
  expect(await ensureBi(bi.db, bi.options, wider)).toBe('up to date');
});

test.each([
  ['a table', 'create table bi.names (x int)'],
  ['a view', 'create view bi.names as select 1 as x'],
  ['a function', `create function bi.named(text) returns int language sql as 'select 1'`],
])('%s of somebody else in the schema is refused and left as it is', async (_, create) => {
  const bi = await openBiDatabase();
  await bi.db.query('create schema bi');
  await bi.db.query(create);
  await expect(ensureBi(bi.db, bi.options, three)).rejects.toMatchObject({
    code: 'postgres.views_not_ours',
  });
  const [found] = await bi.rows(
    `select (select count(*) from pg_class where relnamespace = 'bi'::regnamespace and relkind <> 'S')
       + (select count(*) from pg_proc where pronamespace = 'bi'::regnamespace)`,
  );
  expect(found).toEqual([1]);
});

test('an older program leaves the views of a newer one alone, unless some are missing', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, { ...bi.options, program: '0.10.0' }, three);
  const older = { ...bi.options, program: '0.9.1' };
  expect(await ensureBi(bi.db, older, narrow)).toBe('kept by a newer program');
  expect(await columnsOf(bi)).toContainEqual(['names', 'object,show_name']);
  await bi.db.query('drop view bi.counts');
  expect(await ensureBi(bi.db, older, narrow)).toBe('made');
});

test('a role that does not own the tables leaves the views as they are, and is refused where there are none', async () => {
  const bi = await openBiDatabase();
  const role = await makeRole(bi);
  await bi.db.query(`grant usage on schema plant, plantsync to ${role}`);
  await bi.db.query(`grant select on all tables in schema plant, plantsync to ${role}`);
  await bi.db.query(`grant create on database ${bi.db.database} to ${role}`);
  const db = await openAs(bi, role);
  await expect(ensureBi(db, bi.options, three)).rejects.toMatchObject({ code: 'postgres.no_rights' });
  await ensureBi(bi.db, bi.options, three);
  expect(await ensureBi(db, bi.options, narrow)).toBe('left to the owner');
  expect(await ensureBi(db, bi.options, three)).toBe('up to date');
});

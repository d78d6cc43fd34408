import { randomBytes } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { type Database, openPostgres } from '../../../src/postgres/connect.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { createDatabase } from '../../support/servers/servers.ts';
import { makeStubPlant, type StubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const PASSWORD = 'canary';
const now = Date.now();
const points = [400, 40, 0.1].map((days) => [new Date(now - days * 86_400_000).toISOString(), days] as const);

let plant: StubPlant;
/** Runs statements as an administrator. */
let admin: Database;
/** The role that owns database and tables. The configuration of the plant uses it. */
let owner: string;

beforeEach(async () => {
  plant = await makeStubPlant(smallPlant(points), undefined, createDatabase);
  admin = plant.databases.db;
  // PostgreSQL 14 lets everybody make tables there, which grants would tell.
  await admin.query('revoke create on schema public from public');
  owner = await makeRole();
  await admin.query(`alter database ${admin.database} owner to ${owner}`);
  onTestFinished(
    async () => void (await admin.query(`alter database ${admin.database} owner to current_user`)),
  );
  use(owner);
  expect(await run('sync')).toMatchObject({ code: 0 });
});

/** Makes a role, whose name may have any characters. The role is gone when the test ends. */
async function makeRole(name = 'role'): Promise<string> {
  const role = `${name}_${randomBytes(6).toString('hex')}`;
  const quoted = escapeIdentifier(role);
  await admin.query(`create role ${quoted} login password ${escapeLiteral(PASSWORD)}`);
  onTestFinished(async () => {
    await admin.query(`drop owned by ${quoted} cascade; drop role ${quoted}`);
  });
  return role;
}

/** Lets the configuration use this role. */
function use(role: string, more: object = {}): void {
  const url = new URL(plant.databases.sections.postgres.url);
  url.username = role;
  const runtime = [{ current: { every: '5s' }, history: { start: '30d' }, ...more }];
  plant.configure({ ...plant.config, runtime, postgres: { url: url.href, password: PASSWORD } });
}

const run = (...args: string[]) => runCommand(plant.folder, args);

/** Opens the database as a role. */
function openAs(role: string): Database {
  const url = new URL(plant.databases.sections.postgres.url);
  url.username = encodeURIComponent(role);
  url.password = '';
  const db = openPostgres({ url: url.href, password: PASSWORD }, silentLog);
  onTestFinished(() => db.close());
  return db;
}

/** Lists the tables and views of schemas, quoted. */
async function relationsOf(...schemas: string[]): Promise<string[]> {
  const { rows } = await admin.query(
    `select c.oid::regclass::text as name from pg_class as c
     where relnamespace in (select oid from pg_namespace where nspname = any($1)) and relkind in ('r', 'p', 'v', 'm')`,
    [schemas],
  );
  return rows.map(({ name }) => String(name));
}

/** Lists calls of all functions of schema bi, with values that fit their arguments. */
async function callsOf(): Promise<string[]> {
  const { rows } = await admin.query(
    `select format('%s(%s)', p.oid::regproc, string_agg(
       case a.type::regtype::text
         when 'text' then '''pump1''' when 'interval' then 'interval ''1 day'''
         else format('now()::%s', a.type::regtype) end, ', ' order by a.n)) as call
     from pg_proc as p cross join unnest(p.proargtypes) with ordinality as a (type, n)
     where p.pronamespace = 'bi'::regnamespace group by p.oid`,
  );
  return rows.map(({ call }) => String(call));
}

async function expectReadsAll(reader: Database): Promise<void> {
  for (const name of [...(await relationsOf('bi', 'plant')), ...(await callsOf())])
    await reader.query(`select * from ${name} limit 1`);
}

describe('plantsync grants --reader', () => {
  it('lets a role read all of bi and plant, also what is made later, and nothing of the ledger', async () => {
    const role = await makeRole();
    const { code, stdout } = await run('grants', '--reader', role);
    expect(code).toBe(0);
    await admin.query(stdout);
    const reader = openAs(role);
    expect(await relationsOf('bi')).toContain('bi.tags');
    await expectReadsAll(reader);
    for (const name of await relationsOf('plantsync'))
      await expect(reader.query(`select * from ${name} limit 1`), name).rejects.toThrow(/permission denied/);

    const before = await relationsOf('bi', 'plant');
    use(owner, { history: { start: '30d', aggregate: { period: '1d' } } });
    expect(await run('sync', 'history')).toMatchObject({ code: 0 });
    await admin.query(`select plant.make_month('samples', now() + interval '2 years')`);
    await admin.query('drop view bi.tags cascade');
    expect((await run('migrate')).stdout).toContain('the views in schema bi are made');
    // A view whose columns are others cannot be replaced.
    await admin.query(
      `set role ${owner}; drop view bi.tags cascade; create view bi.tags as select 1 as other; reset role`,
    );
    await admin.query(`update plantsync.views set digest = 'old'`);
    expect((await run('migrate')).stdout).toContain('the views in schema bi are made');
    const later = (await relationsOf('bi', 'plant')).filter((name) => !before.includes(name)).join();
    for (const made of [/samples_86400s/, /samples_y\d+m\d+/]) expect(later).toMatch(made);
    await expectReadsAll(reader);
    expect((await reader.query('select object, property from bi.tags')).rows).toEqual([
      { object: 'pump1', property: 'temp' },
    ]);
  });

  it('lets the role change nothing, and make nothing, not even for a moment', async () => {
    const role = await makeRole();
    expect(await run('grants', '--reader', role, '--apply')).toMatchObject({
      code: 0,
      stdout: `${role} may read bi, plant\n`,
    });
    const reader = openAs(role);
    for (const statement of [
      `insert into plant.persons (name) values ('eve2')`,
      `update plant.persons set show_name = 'x'`,
      'delete from plant.samples',
      'truncate plant.samples',
      'create table plant.mine (a int)',
      'create table bi.mine (a int)',
      'create table public.mine (a int)',
      'create temporary table mine (a int)',
      'create schema mine',
      'drop view bi.tags',
      `select plant.make_month('samples', now())`,
      `update plantsync.control set name = 'x'`,
      'set role to plantsync',
    ])
      await expect(reader.query(statement), statement).rejects.toThrow(
        /permission denied|must be (owner|able)|does not exist/,
      );
    // The owner still has its temporary tables.
    expect(await run('sync')).toMatchObject({ code: 0 });
  });

  it('gives the same rights when it runs again, and tells programs what it did', async () => {
    const role = await makeRole();
    const acl = `select array_agg(c.oid::regclass || coalesce(relacl::text, '') order by c.oid) as acl from pg_class as c
      where relnamespace in ('plant'::regnamespace, 'bi'::regnamespace, 'plantsync'::regnamespace)`;
    const read = async () => (await admin.query(acl)).rows;
    const first = await run('grants', '--reader', role, '--apply', '--json');
    const [granted] = JSON.parse(first.stdout).grants;
    expect(granted).toMatchObject({
      ...{ role, purpose: 'reader', schemas: ['bi', 'plant'], owners: [owner] },
      ...{ applied: true, left: [], surplus: [] },
    });
    expect(granted.statements[0]).toBe(`grant temporary on database "${admin.database}" to "${owner}"`);
    const rights = await read();
    const second = await run('grants', '--reader', role, '--apply', '--json');
    expect(second.code).toBe(0);
    expect(await read()).toEqual(rights);
    // The database is closed already.
    expect(JSON.parse(second.stdout).grants[0].statements).toEqual(
      granted.statements.filter((each: string) => !/ temporary | public$/.test(each)),
    );
  });

  it('says what it may not do itself, and what a reader may do besides reading', async () => {
    await admin.query(`alter database ${admin.database} owner to current_user`);
    const role = await makeRole();
    await admin.query(`grant usage on schema plantsync to ${role}; grant insert on plant.persons to ${role}`);
    const { code, stdout } = await run('grants', '--reader', role, '--apply');
    expect(code).toBe(3);
    expect(stdout).toContain(`${role} may make temporary tables`);
    expect(stdout).toContain(`${role} may use schema plantsync`);
    expect(stdout).toContain(`${role} may write to persons of schema plant`);
    const [, left = ''] = /an administrator: (.*)/s.exec(stdout.replaceAll('\n', ' ')) ?? [];
    expect(left).toMatch(/^grant temporary on database .* revoke temporary on database /);
    await admin.query(left);
    await admin.query(
      `revoke usage on schema plantsync from ${role}; revoke insert on plant.persons from ${role}`,
    );
    expect(await run('grants', '--reader', role, '--apply')).toMatchObject({ code: 0 });
  });

  it('leaves alone what everybody may do, if asked to', async () => {
    const role = await makeRole();
    const { stdout } = await run('grants', '--reader', role, '--keep-public');
    expect(stdout).not.toContain('revoke');
    await admin.query(stdout);
    await openAs(role).query('create temporary table mine (a int)');
  });
});

describe('plantsync grants --writer', () => {
  it('lets a role do everything but own the tables, also together with a reader', async () => {
    const [writer, reader] = [await makeRole(), await makeRole()];
    expect(await run('grants', '--writer', writer, '--reader', reader, '--apply')).toMatchObject({ code: 0 });
    use(writer);
    expect((await run('check')).stdout).toMatch(
      new RegExp(`may write to the tables of ${owner}, who runs plantsync migrate`),
    );
    for (const command of [
      ['sync'],
      ['backfill', '--from', '-500d'],
      ['verify', '--from', '-500d', '--repair'],
      ['status'],
    ]) {
      const { code, stdout, stderr } = await run(...command);
      expect(code, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0);
    }
    const { rows: unwritable } = await admin.query(
      `select c.oid::regclass::text as name from pg_class as c
       where relnamespace in ('plant'::regnamespace, 'plantsync'::regnamespace) and relkind in ('r', 'p') and not relispartition
         and not (has_table_privilege($1, c.oid, 'select') and has_table_privilege($1, c.oid, 'insert')
           and has_table_privilege($1, c.oid, 'update') and has_table_privilege($1, c.oid, 'delete'))`,
      [writer],
    );
    expect(unwritable).toEqual([]);
    const read = openAs(reader);
    // A month that the writer had made.
    await expectReadsAll(read);
    expect((await read.query('select count(*) as n from plant.samples')).rows).toEqual([
      { n: points.length },
    ]);
    await expect(openAs(writer).query('create table plant.mine (a int)')).rejects.toThrow(
      /permission denied/,
    );

    const refused = await run('grants', '--reader', reader, '--apply');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`belongs to ${owner}`) });
  });
});

describe('the role of plantsync grants', () => {
  it('may have any name', async () => {
    for (const name of [
      'Grafana Öl',
      `we"ird'; drop table plant.samples; --`,
      'select',
      '$$x$$\\',
      'two\nlines',
    ]) {
      const role = await makeRole(name);
      for (const purpose of ['--reader', '--writer']) {
        const { code, stdout } = await run('grants', purpose, role);
        expect(code).toBe(0);
        await admin.query(stdout);
      }
      await openAs(role).query('select from plant.samples');
    }
  });

  it('must exist, own nothing, and be named; else nothing is done', async () => {
    for (const [args, code, message] of [
      [[], 'usage.missing_argument', /--reader NAME or --writer NAME/],
      [['--reader', 'nobody'], 'usage.unknown_role', /create role "nobody" login; then: \\password "nobody"/],
      [['--reader', `${owner.slice(0, -1)}é`], 'usage.unknown_role', new RegExp(`did you mean ${owner}\\?`)],
      [['--writer', 'public'], 'usage.unknown_role', /has no such role/],
      [['--reader', 'x', '--writer', 'x'], 'usage.conflicting_options', /the same role x/],
      [['--reader', owner], 'usage.wrong_value', /owns the tables/],
      [['--writer', admin.user], 'usage.wrong_value', /is a superuser/],
    ] as const) {
      const ran = await run('grants', ...args, '--apply', '--json');
      const { error } = JSON.parse(ran.stdout);
      expect({ args, exit: ran.code, code: error.code }).toEqual({ args, exit: 2, code });
      expect(error.message).toMatch(message);
    }
  });
});

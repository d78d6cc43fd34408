import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { createDatabase } from '../../support/servers/servers.ts';
import { makeStubPlant, type StubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const PASSWORD = 'canary';
const now = Date.now();
const points = [400, 40, 0.1].map((days) => [new Date(now - days * 86_400_000).toISOString(), days] as const);
/**
 * The persons on the platform. They change between two scans: rows are updated, deleted, and get an
 * undeclared form.
 */
const persons: object[] = [];

interface RolesOfTest {
  readonly plant: StubPlant;
  /** Makes a role. The role is gone when the test ends. */
  readonly makeRole: (settings?: string) => Promise<string>;
  /** Lets the configuration use this role, with other settings of Postgres. */
  readonly use: (role: string, postgres?: object) => void;
  readonly run: (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
  /** Runs statements as an administrator. */
  readonly admin: (statements: string) => Promise<unknown>;
  readonly rows: (query: string) => Promise<unknown[]>;
}

async function makePlant(): Promise<RolesOfTest> {
  persons.splice(0, persons.length, { name: 'ann' }, { name: 'bob' }, { name: 'eve' });
  const small = smallPlant(points);
  const plant = await makeStubPlant(
    { ...small, lists: { ...small.lists, '/openapi/persons/v1': persons } },
    undefined,
    createDatabase,
  );
  const { db } = plant.databases;
  const runtime = [{ current: { every: '5s' }, history: { start: '30d', aggregate: { period: '1d' } } }];
  return {
    plant,
    async makeRole(settings = '') {
      const role = `role_${randomBytes(6).toString('hex')}`;
      await db.query(`create role ${role} login password '${PASSWORD}' ${settings}`);
      onTestFinished(async () => {
        await db.query(`drop owned by ${role} cascade`);
        await db.query(`drop role ${role}`);
      });
      return role;
    },
    use(role, postgres = {}) {
      const url = new URL(plant.databases.sections.postgres.url);
      url.username = role;
      plant.configure({
        ...plant.config,
        runtime,
        postgres: { url: url.href, password: PASSWORD, ...postgres },
      });
    },
    run: (...args) => runCommand(plant.folder, args),
    admin: (statements) => db.query(statements),
    rows: plant.databases.rows,
  };
}

let roles: RolesOfTest;
beforeEach(async () => {
  roles = await makePlant();
});

describe('two roles', () => {
  it('do everything together: one owns and migrates, the other reads, fills and verifies', async () => {
    const { plant, makeRole, use, run, admin, rows } = roles;
    const { database } = plant.databases.db;
    const [owner, writer] = [await makeRole(), await makeRole()];
    await admin(
      `revoke create on schema public from public; grant create, temporary on database ${database} to ${owner}`,
    );
    use(owner);
    expect(await run('migrate')).toMatchObject({ code: 0 });
    const { stdout: grants } = await run('grants', '--writer', writer);

    use(writer);
    const before = await run('check');
    expect(before.stdout).toMatch(new RegExp(`neither owns the tables, which belong to ${owner}`));
    await admin(`set role ${owner}; ${grants}; reset role`);
    const tables = `select relname::text from pg_class where relnamespace in ('plant'::regnamespace, 'plantsync'::regnamespace)
      and not relispartition and relkind in ('r', 'p') order by 1`;
    const made = await rows(tables);
    expect((await run('check')).stdout).toMatch(
      new RegExp(`may write to the tables of ${owner}, who runs plantsync migrate`),
    );
    for (const command of [
      ['sync'],
      ['sync', 'current'],
      ['backfill', '--from', '-500d'],
      ['verify', '--from', '-500d', '--repair'],
      ['status'],
      ['gaps'],
      ['rejects'],
      ['migrate'],
    ]) {
      const { code, stdout, stderr } = await run(...command);
      expect(code, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0);
    }
    // A month that has come since, and a month before Christ, for which nobody has made a partition.
    expect(await rows('select count(*) from plant.samples')).toEqual([points.length]);
    expect(await rows(tables)).toEqual(made);
    const partitions = await rows(
      `select pg_get_userbyid(relowner) from pg_class where relispartition and relkind = 'r'
       and relnamespace = 'plant'::regnamespace group by 1`,
    );
    expect(partitions).toEqual([owner]);
  });

  it('make partitions of points and nothing else', async () => {
    const { plant, makeRole, use, run, admin, rows } = roles;
    const owner = await makeRole();
    await admin(`grant create, temporary on database ${plant.databases.db.database} to ${owner}`);
    use(owner);
    await run('migrate');
    await admin(
      "select plant.make_month('samples', '0044-03-15 BC'), plant.make_month('samples', '0044-03-15 BC')",
    );
    await admin("select plant.make_month('samples', '9999-12-31 23:59:59+00')");
    expect(
      await rows(`select relname from pg_class where relispartition and relkind = 'r'
        and relnamespace = 'plant'::regnamespace order by 1`),
    ).toEqual(['samples_y0044bcm03', 'samples_y9999m12']);
    await expect(admin("select plant.make_month('persons', now())")).rejects.toThrow(
      /no table of points persons/,
    );
    await expect(admin(`select plant.make_month('samples"; drop', now())`)).rejects.toThrow(
      /no table of points/,
    );
  });
});

describe('a database that was restored without its owners', () => {
  it('is found by check, and right again after the statements that it prints', async () => {
    const { plant, makeRole, use, run, admin, rows } = roles;
    const { database } = plant.databases.db;
    const [role, restorer] = [await makeRole(), await makeRole()];
    await admin(`grant create, temporary on database ${database} to ${role}`);
    use(role);
    expect((await run('sync')).code).toBe(0);
    // The temporary tables of the role's sessions vanish with the sessions.
    while ((await rows(`select 1 from pg_stat_activity where usename = '${role}'`)).length > 0)
      await sleep(20);
    // `pg_restore --no-owner` leaves this state: the user who ran it owns everything, and the role keeps its
    // grants.
    await admin(`reassign owned by ${role} to ${restorer}; grant create on database ${database} to ${role};
      grant all on all tables in schema plant to ${role}; grant all on schema plant, plantsync to ${role}`);

    const { code, stdout } = await run('check', '--json');
    const detail: string = JSON.parse(stdout).checks.find(
      (check: { what: string }) => check.what === 'PostgreSQL',
    ).detail;
    expect(detail).toContain(`neither owns the tables, which belong to ${restorer}`);
    expect(code).toBe(1);
    const [, statements = ''] = /give them to the user: (.*); or, if /.exec(detail) ?? [];
    await admin(statements);
    expect((await run('check')).stdout).toMatch(/^ok +PostgreSQL .* has the rights$/m);
    const ran = await run('sync');
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(await rows(`select count(*) from pg_class where relowner = '${restorer}'::regrole`)).toEqual([0]);
  });
});

describe('a database that others use too', () => {
  it('may publish all of its tables', async () => {
    const { makeRole, use, run, admin, rows, plant } = roles;
    const role = await makeRole();
    await admin(`grant create, temporary on database ${plant.databases.db.database} to ${role}`);
    use(role, {});
    plant.configure({
      ...plant.config,
      limits: { deleteAfterMissing: 1, maxDeleteShare: '100%', keepChanges: '0s' },
    });
    await admin('create publication everything for all tables');
    expect((await run('sync')).code).toBe(0);
    persons.splice(0, 2, { name: 'ann', showName: 'Ann', planet: 'Mars' });
    expect((await run('sync')).code).toBe(0);
    persons.splice(0, 1, { name: 'ann', showName: 'Anna' });
    const { code, stdout } = await run('sync');
    expect(code, stdout).toBe(0);
    expect((await run('reset', 'persons')).code).toBe(0);
    // Every table of plantsync has a primary key, which replication needs.
    const unnamed = `select c.oid::regclass::text from pg_class as c
      where c.relkind in ('r', 'p') and c.relpersistence = 'p' and relnamespace in ('plant'::regnamespace, 'plantsync'::regnamespace)
        and relreplident = 'd' and not exists (select from pg_index where indrelid = c.oid and indisprimary)`;
    expect(await rows(unnamed)).toEqual([]);
  });

  it('may set what it likes for the role', async () => {
    const { makeRole, use, run, admin, rows, plant } = roles;
    const role = await makeRole();
    await admin(`grant create, temporary on database ${plant.databases.db.database} to ${role}`);
    for (const setting of [
      'extra_float_digits = -3',
      "datestyle = 'German, DMY'",
      "intervalstyle = 'sql_standard'",
      "timezone = 'Asia/Kathmandu'",
      "bytea_output = 'escape'",
      'standard_conforming_strings = off',
      'array_nulls = off',
      'transform_null_equals = on',
      "search_path = 'nowhere'",
      "default_transaction_isolation = 'serializable'",
      'default_transaction_read_only = on',
      "idle_session_timeout = '2s'",
    ])
      await admin(`alter role ${role} set ${setting}`);
    use(role);
    plant.stub.script.history = { 'pump1.temp': [[new Date(now - 3_600_000).toISOString(), 0.1 + 0.2]] };
    for (const command of [['sync'], ['verify', '--from', '-1d'], ['sync'], ['status']]) {
      const { code, stdout, stderr } = await run(...command);
      expect(code, stdout + stderr).toBe(0);
    }
    expect(await rows('select value from plant.samples')).toEqual([0.1 + 0.2]);
  });

  it('may allow a role fewer connections than the pool has, and is told which setting fits', async () => {
    const { makeRole, use, run, admin, plant } = roles;
    const role = await makeRole('connection limit 1');
    await admin(`grant create, temporary on database ${plant.databases.db.database} to ${role}`);
    use(role);
    const { code, stderr, stdout } = await run('sync');
    expect(code).not.toBe(0);
    expect(stderr + stdout).toMatch(/too many connections for role.*postgres\.poolSize/);
  });
});

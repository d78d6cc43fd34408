import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { checkPrivileges } from '../../src/postgres/privileges.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let owner: Database;
let user: Database;
const role = `role_${randomBytes(6).toString('hex')}`;

beforeAll(async () => {
  made = await createDatabase();
  owner = openPostgres(made.options, silentLog);
  await owner.query(`create role ${role} login password 'canary'`);
  const url = new URL(made.options.url);
  url.username = role;
  url.password = '';
  user = openPostgres({ url: url.href, password: 'canary' }, silentLog);
});
afterAll(async () => {
  await user.close();
  await owner.query(`drop owned by ${role} cascade`);
  await owner.query(`drop role ${role}`);
  await owner.close();
  await made.drop();
});

test('all grants that are missing are named, and with them the user has its rights', async () => {
  await owner.query('create schema plant');
  const check = checkPrivileges(user, ['plant', 'plantsync']);
  await expect(check).rejects.toThrow(
    `grant create on database "${owner.database}" to "${role}"; grant usage, create on schema "plant" to "${role}"`,
  );
  await owner.query(`grant create on database "${owner.database}" to "${role}"`);
  await owner.query(`grant usage, create on schema plant to "${role}"`);
  await expect(checkPrivileges(user, ['plant', 'plantsync'])).resolves.toBeUndefined();
});

test('the right to make a schema is not asked for where both are there', async () => {
  await owner.query('create schema if not exists plantsync');
  await owner.query(`grant usage, create on schema plantsync to "${role}"`);
  await owner.query(`revoke create on database "${owner.database}" from "${role}"`);
  await expect(checkPrivileges(user, ['plant', 'plantsync'])).resolves.toBeUndefined();
});

test('a view for BI tools that belongs to somebody else is found, and given back by what is printed', async () => {
  const own = ['plant', 'plantsync', 'bi'];
  for (const schema of own) await owner.query(`create schema if not exists ${schema}`);
  for (const schema of own) await owner.query(`grant usage, create on schema ${schema} to "${role}"`);
  await user.query('create table plant.mine (a int)');
  await owner.query('create view bi.names as select * from plant.mine');
  await owner.query('create function bi.named(a int) returns int language sql as $$ select a $$');
  const check = () => checkPrivileges(user, ['plant', 'plantsync'], 'bi');
  const refused = await check().then(
    () => '',
    (error: Error) => error.message,
  );
  const [, statements = ''] = /run as an administrator: (.*)/.exec(refused) ?? [];
  await owner.query(statements);
  await expect(check()).resolves.toBeUndefined();
  const { rows } = await owner.query(
    `select relname as name from pg_class where relowner = $1::regrole and relkind = 'v'
     union select proname from pg_proc where proowner = $1::regrole order by 1`,
    [role],
  );
  expect(rows.map(({ name }) => name)).toEqual(['named', 'names']);
});

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { runCommand } from '../support/program/run-command.ts';
import { createDatabase } from '../support/servers/servers.ts';
import { makeStubPlant, smallPlant } from '../support/stub/stub-plant.ts';
import { readCompose } from './read-compose.ts';

it('the roles of Compose are enough: one does all the work without being a superuser, and Grafana reads', async () => {
  const plant = await makeStubPlant(smallPlant(), undefined, createDatabase);
  const { db: admin, sections } = plant.databases;
  const mark = randomBytes(6).toString('hex');
  const [owner, reader] = [`owner_${mark}`, `reader_${mark}`];
  onTestFinished(async () => {
    await admin.query(`alter database ${admin.database} owner to current_user`);
    await admin.query(
      `drop owned by ${reader}; drop owned by ${owner} cascade; drop role ${owner}, ${reader}`,
    );
  });
  // The server of the tests has roles of these names, and psql is not on every machine.
  const sql = readFileSync('config/postgres/roles.sql', 'utf8')
    .replace(/^\\getenv (\w+) (?:PLANTSYNC|READER)_PASSWORD$/gm, '')
    .replaceAll(/:'(?:plantsync|reader)_password'/g, `'canary'`)
    .replaceAll(/\bplantsync\b/g, owner)
    .replaceAll(/\bgrafana\b/g, reader);
  expect(sql).not.toMatch(/^\\|:'/m);
  for (let run = 0; run < 2; run += 1) await admin.query(sql);

  const url = new URL(sections.postgres.url);
  url.username = owner;
  plant.configure({ ...plant.config, postgres: { url: url.href, password: 'canary' } });
  const { command = [] } = readCompose('compose.yaml').services.grants ?? {};
  const grants = [...command].map((word) => (word === 'grafana' ? reader : word));
  expect(grants.slice(0, 1)).toEqual(['grants']);
  for (let run = 0; run < 2; run += 1) {
    const { code, stdout, stderr } = await runCommand(plant.folder, grants);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  }
  expect(await runCommand(plant.folder, ['sync'])).toMatchObject({ code: 0 });

  url.username = reader;
  url.password = '';
  const grafana = openPostgres({ url: url.href, password: 'canary' }, silentLog);
  onTestFinished(() => grafana.close());
  expect((await grafana.query('select object, property from bi.tags')).rows).toEqual([
    { object: 'pump1', property: 'temp' },
  ]);
  await expect(grafana.query('create temporary table mine (a int)')).rejects.toThrow(/permission denied/);
  const { rows } = await admin.query(
    `select bool_or(rolsuper or rolcreaterole or rolcreatedb or rolbypassrls) as may_more from pg_roles
     where rolname in ($1, $2)`,
    [owner, reader],
  );
  expect(rows).toEqual([{ may_more: false }]);
});

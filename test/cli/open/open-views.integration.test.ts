import { expect, onTestFinished, test } from 'vitest';
import { openViews } from '../../../src/cli/open/open-views.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { startSimulator } from '../../../src/simulator/start-simulator.ts';
import { makePlantDatabases, type PlantDatabases } from '../../support/plant-databases.ts';
import { makeProject, type Project } from '../../support/program/plantsync.ts';
import { recordLog } from '../../support/record-log.ts';
import { createDatabase } from '../../support/servers/servers.ts';

interface Site {
  readonly databases: PlantDatabases;
  /** The configuration of a project for the site. */
  readonly sections: object;
  /** Makes a project for the site. `extra` are more sections of its configuration. */
  project(extra?: object): Project;
}

async function openSite(): Promise<Site> {
  const simulator = await startSimulator({ control: false });
  onTestFinished(() => simulator.close());
  const databases = await makePlantDatabases(createDatabase);
  onTestFinished(() => databases.close());
  const { baseUrl, appId, secret } = simulator;
  const { postgres } = databases.sections;
  const sections = { platform: { baseUrl, appId, secret }, postgres };
  return { databases, sections, project: (extra) => makeProject({ ...sections, ...extra }) };
}

const countViews = ({ databases }: Site) =>
  databases.rows(`select count(*)::int from pg_views where schemaname = 'bi'`);

test('a command that only reads makes no views, one that loads makes them', async () => {
  const site = await openSite();
  const project = site.project();
  expect((await project.run(['status'])).output).toContain('networks');
  expect(await countViews(site)).toEqual([0]);
  const { code, output } = await project.run(['sync', 'networks']);
  expect(code, output).toBe(0);
  expect(await countViews(site)).not.toEqual([0]);
});

test('bi: off makes no views, and drops none', async () => {
  const site = await openSite();
  const off = site.project({ bi: 'off' });
  expect((await off.run(['sync', 'networks'])).code).toBe(0);
  expect(await countViews(site)).toEqual([0]);
  expect((await off.run(['migrate', '--json'])).stdout).not.toContain('views');
  expect((await site.project().run(['migrate'])).stdout).toContain('the views in schema bi are made');
  const made = await countViews(site);
  expect((await off.run(['sync', 'networks'])).code).toBe(0);
  expect(await countViews(site)).toEqual(made);
});

test('views that cannot be brought up to date are told, and loading goes on; migrate fails', async () => {
  const site = await openSite();
  await site.databases.db.query('create schema bi; create table bi.tags (x int)');
  const project = site.project();
  const synced = await project.run(['sync', 'networks']);
  expect(synced.code, synced.output).toBe(0);
  expect(await site.databases.count('networks')).toBeGreaterThan(0);
  const { entries, codes, log } = recordLog();
  const config = await loadConfig({ env: {}, overrides: site.sections as never });
  await openViews(config, { db: site.databases.db, schemas: defaultSchemas, kinds: STORE_KINDS, log });
  expect(entries).toEqual(['warn: the views for BI tools are not brought up to date; loading goes on']);
  expect(codes).toEqual(new Set(['postgres.views_not_ours']));
  const migrated = await project.run(['migrate']);
  expect(migrated.code).toBe(1);
  expect(migrated.output).toContain('did not make: tags');
});

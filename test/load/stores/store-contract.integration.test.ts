import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../../src/ledger/run-migrations.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { askInflux } from '../../support/influx/ask-influx.ts';
import { seriesPoints, type TestPoint } from '../../support/influx/influx-points.ts';
import { createDatabase, sharedInflux } from '../../support/servers/servers.ts';
import { filesKind } from './files-store/kind.ts';
import { readFile } from './files-store/read.ts';
import { makeInfluxSubject } from './influx/influx-subject.ts';
import { configOf } from './store-config.ts';
import {
  type Apart,
  type StoreSubject,
  testApartContract,
  testPlaceContract,
  testStoreContract,
} from './store-contract.ts';

const t0 = Date.UTC(2024, 0, 1) * 1_000;

async function makePostgres(): Promise<StoreSubject> {
  const made = await createDatabase();
  const config = await configOf({});
  const db = openPostgres(made.options, silentLog);
  // The store notes in the ledger which rollups have to be computed.
  await migrate(db, defaultSchemas);
  const away = openPostgres({ url: 'postgres://u@127.0.0.1:1/d' }, silentLog);
  return {
    open: () => STORE_KINDS.postgres.open(config, db),
    openAway: () => STORE_KINDS.postgres.open(config, away),
    async readPolls({ id }) {
      const polled = `select at, coalesce(to_jsonb(value), to_jsonb(text)) as value from plant.samples_polled`;
      const { rows } = await db.query(`${polled} where series_id = $1 order by at`, [id]);
      return rows.map(({ at, value }) => [at, value] as TestPoint);
    },
    async close() {
      await away.close();
      await db.close();
      await made.drop();
    },
  };
}

async function makeInflux(): Promise<Apart> {
  const database = `contract-${randomUUID()}`;
  const options = { url: sharedInflux().url, version: 1 as const, database };
  return makeInfluxSubject(options, async () => {
    await askInflux(options, '/query', { q: `drop database "${database}"` });
  });
}

async function makeFiles(): Promise<Apart> {
  const home = await mkdtemp(join(tmpdir(), 'plantsync-test-files-'));
  const folder = join(home, 'plant');
  const config = await configOf({});
  const configured = filesKind(folder).configure(config);
  const away = filesKind(join(home, 'unmounted', 'plant')).configure(config);
  return {
    open: () => configured.open({ log: silentLog, makesPlace: true }),
    openAway: () => away.open({ log: silentLog, makesPlace: true }),
    async readPolls({ object, property }) {
      const lines = await readFile(join(folder, 'polls.lp'));
      return lines
        .filter(({ tags }) => tags.object === object && tags.property === property)
        .map(({ at, fields }): TestPoint => [at, fields.value ?? fields.text ?? null]);
    },
    partlyRefused: seriesPoints({ id: 1_000_000, object: 'long' }, [
      [t0, 'x'.repeat(70_000)],
      [t0 + 1, 'x'],
    ]),
    apart: {
      configured,
      away,
      countEvents: async () => (await readFile(join(folder, 'alarm_events.lp'))).length,
      dropPlace: () => rm(folder, { recursive: true }),
    },
    close: () => rm(home, { recursive: true }),
  };
}

testStoreContract('PostgreSQL', makePostgres);
testStoreContract('InfluxDB 1.x', makeInflux);
testStoreContract('a folder of files', makeFiles);
testApartContract('InfluxDB 1.x', makeInflux);
testPlaceContract('InfluxDB 1.x', makeInflux);
testApartContract('a folder of files', makeFiles);
testPlaceContract('a folder of files', makeFiles);

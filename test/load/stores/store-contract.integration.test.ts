import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config-schema.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Tree } from '../../../src/config/tree.ts';
import { migrate } from '../../../src/ledger/run-migrations.ts';
import type { PointStore } from '../../../src/load/stores/store.ts';
import type { ConfiguredStore } from '../../../src/load/stores/store-kind.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { seriesPoints, type TestPoint } from '../../support/influx/influx-points.ts';
import { openInfluxReader } from '../../support/influx/influx-reader.ts';
import { createDatabase, sharedInflux } from '../../support/servers/servers.ts';
import { filesKind } from './files-store/kind.ts';
import { readFile } from './files-store/read.ts';
import {
  type ApartSubject,
  type StoreSubject,
  testApartContract,
  testStoreContract,
} from './store-contract.ts';

const always = { from: 0, to: 4e15 };
const t0 = Date.UTC(2024, 0, 1) * 1_000;

function configOf(sections: Tree): Promise<Config> {
  const platform = { baseUrl: 'http://p', appId: 'a', secret: 's' };
  return loadConfig({ path: false, env: {}, overrides: { platform, ...sections } });
}

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

type Apart = StoreSubject & { readonly apart: ApartSubject };

function open(configured: ConfiguredStore): Promise<PointStore> {
  return configured.open({ log: silentLog, makesPlace: true });
}

async function makeInflux(): Promise<Apart> {
  const { url } = sharedInflux();
  const options = { url, version: 1 as const, database: `contract-${randomUUID()}` };
  const find = async (influx: typeof options) => {
    const config = await configOf({ influx });
    const [kind] = STORE_KINDS.others.filter((each) => each.isConfigured(config));
    if (kind === undefined) throw new Error('the configuration asks for InfluxDB');
    return kind.configure(config);
  };
  const configured = await find(options);
  const away = await find({ ...options, url: 'http://127.0.0.1:1' });
  const ended = AbortSignal.abort();
  const ask = async (statement: string) => {
    const body = new URLSearchParams({ db: options.database, q: statement });
    const reply = await fetch(`${url}/query`, { method: 'POST', body });
    return (await reply.json()) as { results: { series?: { values: unknown[][] }[] }[] };
  };
  const long = { id: 1_000_000, object: 'x'.repeat(70_000), property: 'p' };
  return {
    open: () => open(configured),
    // Nobody waits until the store gives up by itself.
    openAway: () => away.open({ log: silentLog, makesPlace: true, signal: ended }),
    async readPolls(series) {
      const reader = openInfluxReader(options, 'runtime_polled');
      const { times, values, texts } = await reader.points(series, always);
      await reader.close();
      return times.map((at, k): TestPoint => [at, values[k] ?? texts[k] ?? null]);
    },
    partlyRefused: seriesPoints(long, [[t0, 1]]),
    apart: {
      configured,
      away,
      async countEvents() {
        const { results } = await ask('select count(started_at) from alarm_events');
        return Number(results[0]?.series?.[0]?.values[0]?.[1]);
      },
      dropPlace: async () => void (await ask(`drop database "${options.database}"`)),
    },
    close: async () => void (await ask(`drop database "${options.database}"`)),
  };
}

async function makeFiles(): Promise<Apart> {
  const home = await mkdtemp(join(tmpdir(), 'plantsync-test-files-'));
  const folder = join(home, 'plant');
  const config = await configOf({});
  const configured = filesKind(folder).configure(config);
  const away = filesKind(join(home, 'unmounted', 'plant')).configure(config);
  return {
    open: () => open(configured),
    openAway: () => open(away),
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
testApartContract('a folder of files', makeFiles);

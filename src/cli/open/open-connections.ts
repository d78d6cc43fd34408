import { join } from 'node:path';
import type { Config } from '../../config/config-schema.ts';
import { Cooldown } from '../../extract/cooldown.ts';
import { CurrentReader } from '../../extract/current-reader.ts';
import { createLedger, type Ledger } from '../../ledger/ledger.ts';
import { createTokenStore } from '../../ledger/ledger-token-store.ts';
import { type MigrationReport, migrate } from '../../ledger/run-migrations.ts';
import { keepMarks } from '../../load/rollups/rollup-state.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import { STORE_KINDS } from '../../load/stores/store-kinds.ts';
import type { Logger } from '../../log.ts';
import { type Metrics, noMetrics } from '../../metrics.ts';
import { readVersion } from '../../package-root.ts';
import { checkServer, type Database, openPostgres, readDatabaseTime } from '../../postgres/connect.ts';
import { type EmbeddedServer, startEmbedded } from '../../postgres/embedded/start-embedded.ts';
import type { RoomWatch } from '../../postgres/room.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { periodOf } from '../../queue/next-run.ts';
import type { RedisConnections } from '../../queue/redis/redis-connections.ts';
import { createInstantParser } from '../../series/instant.ts';
import { sleepOrWake } from '../../sleep.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../../sync/context.ts';
import { PollKeeper } from '../../sync/polls/poll-keeper.ts';
import { noteLostPolls, type PollWriting, writePoll } from '../../sync/polls/write-poll.ts';
import { keepsRollups } from '../../sync/rollups/keep-rollups.ts';
import { SeriesCatalog } from '../../sync/selection/series-catalog.ts';
import { zoneOfPlant } from '../../time-zone.ts';
import { noTracing, type Tracing } from '../../tracing.ts';
import { TrustedClock } from '../../trusted-clock.ts';
import type { Closers } from './closers.ts';
import { openConfiguredPlatform, openConfiguredRedis } from './connect-platform.ts';
import { openStores, type StoreReader } from './open-stores.ts';
import { openViews } from './open-views.ts';

export interface Opening {
  readonly log: Logger;
  /** Gets everything that is opened. */
  readonly closers: Closers;
  /** Ends waits for a store that is away. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Given for a command that only reads: nothing is made in a store, and `tell` gets a sentence about what is
   * missing.
   */
  readonly reader?: StoreReader | undefined;
  /** Counts the work. Nothing is counted if not given. */
  readonly metrics?: Metrics | undefined;
  /** Records what takes the time. Nothing is recorded if not given. */
  readonly tracing?: Tracing | undefined;
  /** Is told whether Postgres has room on its disk, for somebody who shows it. */
  readonly room?: RoomWatch | undefined;
  /** The kinds of stores that there are; those of the product if not given. */
  readonly kinds?: StoreKinds | undefined;
}

/** The open connections, without the parts of the context that belong to one run. */
export interface OpenConnections extends Omit<SyncContext, 'progress' | 'signal'> {
  readonly kinds: StoreKinds;
  /** Undefined if Redis is not configured. */
  readonly redis: RedisConnections | undefined;
  /** Notes the time of the database, in epoch milliseconds, whenever somebody has read it. */
  readonly noteDatabaseTime: (ms: number) => void;
}

/** An open database with its ledger up to date. */
export interface OpenDatabase {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly ledger: Ledger;
  readonly migration: MigrationReport;
  /** The address that people connect to. */
  readonly address: string;
}

/**
 * Opens everything, from the bottom up: Postgres (given or embedded), ledger, token, platform, stores.
 * Everything that is opened is added to `closers`, also if a later step fails.
 */
export async function openConnections(config: Config, opening: Opening): Promise<OpenConnections> {
  const { log, closers, signal, reader, kinds = STORE_KINDS, room } = opening;
  const { metrics = noMetrics, tracing = noTracing } = opening;
  const { db, schemas, ledger } = await openDatabase(config, { log, closers, room });
  const { baseUrl, appId, secret, timezone, dialect } = config.platform;
  const tokens = createTokenStore({ db, schemas, platform: `${baseUrl} ${appId}`, secret });
  const redis = await openConfiguredRedis(config, { log, closers });
  const clock = new TrustedClock();
  clock.note('database', await readDatabaseTime(db));
  const platform = await openConfiguredPlatform(config, {
    ...{ log, closers, tokens, redis, metrics, tracing, clock },
  });
  const opened = await openStores(config, {
    ...{ kinds, db, ledger, log, metrics, tracing, closers, signal, reader },
  });
  if (reader === undefined) {
    await openViews(config, { db, schemas, kinds, log });
    await keepMarks(db, schemas, {
      isKept: keepsRollups({ config, ...opened }),
      zone: zoneOfPlant(config.platform),
    });
  }
  const base = { config, db, schemas, ledger, clock: () => clock.nowMs() * 1000 };
  const polls = openPolls(config, { ledger, ...opened, log, metrics });
  closers.add(() => polls.close());
  return {
    ...base,
    version: readVersion(),
    redis,
    noteDatabaseTime: (ms) => clock.note('database', ms),
    platform,
    ...opened,
    kinds,
    parseInstant: createInstantParser({ timezone, zoneOverride: dialect.zoneOverride }),
    currentReader: new CurrentReader({
      clock: steadyMs,
      maxConcurrency: config.platform.maxConcurrency,
    }),
    polls,
    polledBefore: new Set(),
    toldEmpty: new Map(),
    seriesCooldown: new Cooldown(steadyMs),
    catalog: new SeriesCatalog({ ...base, clock: () => steadyMs() * 1000 }),
    log,
    metrics,
    tracing,
  };
}

function openPolls(config: Config, writing: PollWriting): PollKeeper {
  const { pollBufferValues, pollBufferBytes } = config.limits;
  return new PollKeeper({
    patienceMs: patienceOf(config),
    write: (poll) => writePoll(writing, poll),
    noteLost: (lost) => noteLostPolls(writing, lost),
    countLost: (values) => writing.metrics.countLostValues(values),
    bounds: { maxValues: pollBufferValues, maxBytes: pollBufferBytes },
    log: writing.log,
    sleep: sleepOrWake,
  });
}

/** The share of the shortest period of a poll that a poll may wait for Postgres. */
const PATIENCE_SHARE = 0.5;
const LONGEST_PATIENCE_MS = 10_000;
const LEAST_PATIENCE_MS = 1_000;

function patienceOf({ runtime, schedule: { timezone } }: Config): number {
  const nowMs = Date.now();
  const periods = runtime
    .filter(({ current }) => current.enabled)
    .map(({ current }) => periodOf(current.schedule, { nowMs, timezone }) * PATIENCE_SHARE);
  return Math.max(LEAST_PATIENCE_MS, Math.min(LONGEST_PATIENCE_MS, ...periods));
}

/** Opens Postgres, checks that the server can be used, and brings the ledger up to date. */
export async function openDatabase(
  config: Config,
  { log, closers, room }: Pick<Opening, 'log' | 'closers' | 'room'>,
): Promise<OpenDatabase> {
  const { server, poolSize, ledgerSchema } = config.postgres;
  const target = server ?? (await startOwnServer(config, { log, closers }));
  const db = openPostgres({ ...target, maxConnections: poolSize, installation: ledgerSchema, room }, log);
  closers.add(() => db.close());
  await checkServer(db);
  const schemas = schemasOf(config);
  const migration = await migrate(db, schemas);
  return { db, schemas, ledger: createLedger(db, schemas, log), migration, address: describe(db) };
}

/** The names of the schemas of a configuration. */
export function schemasOf({ postgres: { schema, ledgerSchema, biSchema } }: Config): Schemas {
  return { data: schema, ledger: ledgerSchema, bi: biSchema };
}

/** Starts the PostgreSQL of the data folder, or takes over the one that runs there. */
export async function startOwnServer(
  config: Config,
  { log, closers }: { log: Logger; closers: Closers },
): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir: join(config.postgres.dataDir, 'postgres'), log });
  closers.add(() => server.stop());
  log.info(
    { port: server.port, folder: server.home },
    'postgres.url is not set: using an embedded PostgreSQL, which is meant for trials',
  );
  return server;
}

function describe({ host, port, user, database }: Database): string {
  return `postgres://${user}@${host}:${port}/${database}`;
}

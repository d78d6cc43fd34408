import type { Config } from '../config/config-schema.ts';
import { listConfigured, type StoreKinds } from '../load/stores/store-kind.ts';
import type { Logger } from '../log.ts';
import { openPostgres } from '../postgres/connect.ts';
import { openPulse } from '../postgres/pulse.ts';
import { RoomWatch } from '../postgres/room.ts';
import type { Redact } from '../redact.ts';
import type { Sleep } from '../sleep.ts';
import { steadyMs } from '../steady-clock.ts';
import type { SyncContext } from '../sync/context.ts';
import { TOKEN } from '../sync/status/see-dependencies.ts';
import { type AskedPlatform, lookAtPlatform } from './platform-look.ts';
import { Health } from './readiness.ts';

export interface WatchOptions {
  readonly kinds: StoreKinds;
  readonly log: Logger;
  /** Removes secrets from a text. */
  readonly redact: Redact;
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
}

type Close = () => Promise<void>;

/** Looks at everything that plantsync depends on, over connections of its own. */
export interface DependencyWatch {
  readonly health: Health;
  /** Is told by the databases of the process whether Postgres has room on its disk. */
  readonly room: RoomWatch;
  /** Looks also at the platform and its token from now on. */
  watchPlatform(platform: AskedPlatform): void;
  /** Looks also at the embedded Postgres from now on, if the configuration names no other. */
  watchEmbedded(db: SyncContext['db']): void;
  /** Ends all looks. They end before what they look through is closed. */
  leave(): Promise<void>;
}

/** A server answers or fails before the health gives up on it, so that the reason is known. */
const CONNECT_TIMEOUT_MS = 2_500;
const STORE_LIMIT_MS = 2_500;

/**
 * Begins to look at the servers that the configuration names. Nothing else must be open before. Dependencies
 * that need more are only named until then.
 */
export async function watchDependencies(
  config: Config,
  { kinds, log, redact, clock, sleep }: WatchOptions,
): Promise<DependencyWatch> {
  const health = new Health({ clock, sleep, redact });
  const room = new RoomWatch();
  // A failure is what the looks are for, so it is not logged as well.
  const quiet = log.child({}, { level: 'silent' });
  const closers: Close[] = [];
  const watchPostgres = (db: SyncContext['db']): void => {
    const pulse = openPulse(db);
    health.watch({ name: 'postgres', needed: 'always', look: (signal) => pulse.feel(signal) });
    closers.push(() => pulse.close());
  };
  const { server } = config.postgres;
  if (server === undefined)
    health.expect({ name: 'postgres', needed: 'always' }, 'the embedded PostgreSQL is being started');
  else {
    const db = openPostgres({ ...server, connectTimeoutMs: CONNECT_TIMEOUT_MS, room }, quiet);
    closers.push(() => db.close());
    watchPostgres(db);
  }
  const before = config.redis === undefined ? 'PostgreSQL' : 'PostgreSQL and Redis';
  const noToken = `the platform is asked when the service runs, which waits for ${before}`;
  health.expect({ name: 'platform', needed: 'always' }, noToken);
  if (config.redis !== undefined) closers.push(await watchRedis(config.redis, { health, log: quiet }));
  for (const store of listConfigured(config, kinds)) {
    const pulse = await store.openPulse({ limitMs: STORE_LIMIT_MS });
    // Without the store, polls and history wait in their places, and everything else goes on.
    health.watch({ name: store.kind.name, needed: 'at-start', look: () => pulse.feel() });
    closers.push(() => pulse.close());
  }
  return {
    health,
    room,
    watchPlatform(platform) {
      health.watch({ name: 'platform', needed: 'always', look: lookAtPlatform(platform, steadyMs) });
      health.watch({ name: TOKEN, needed: 'never', look: () => lookAtToken(platform) });
    },
    watchEmbedded(db) {
      if (server === undefined) watchPostgres(db);
    },
    async leave() {
      await health.close();
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}

/** Looks at Redis over a connection of its own, so that it is seen also before the engine is open. */
async function watchRedis(
  settings: NonNullable<Config['redis']>,
  { health, log }: { health: Health; log: Logger },
): Promise<Close> {
  // The client is loaded only if Redis is configured.
  const { RedisConnections } = await import('../queue/redis/redis-connections.ts');
  const redis = new RedisConnections(settings, log);
  health.watch({ name: 'redis', needed: 'always', look: async () => ({ servers: await redis.look() }) });
  return async () => redis.close();
}

async function lookAtToken({ token }: Pick<AskedPlatform, 'token'>): Promise<'unknown' | undefined> {
  const { refusal, validUntilMs } = token();
  if (refusal !== undefined) throw refusal;
  return validUntilMs === undefined ? 'unknown' : undefined;
}

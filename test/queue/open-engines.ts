import { setMaxListeners } from 'node:events';
import type { OnTestFinishedHandler } from 'vitest';
import { createLeases } from '../../src/ledger/leases/leases.ts';
import { type Logger, silentLog } from '../../src/log.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { type BullMqTiming, openBullMq } from '../../src/queue/bullmq/open-bullmq.ts';
import type { Engine, EngineJob, EngineOptions } from '../../src/queue/engine.ts';
import { type InlineDeps, openInline } from '../../src/queue/open-inline.ts';
import { RedisConnections, type RedisSettings } from '../../src/queue/redis/redis-connections.ts';

/** `onTestFinished` of the test that opens an engine, because several tests may run at once. */
export type OnFinished = (end: OnTestFinishedHandler) => void;

export interface EngineSetup {
  readonly jobs: readonly EngineJob[];
  readonly lastMs?: Readonly<Record<string, number>>;
  readonly shutdownTimeoutMs?: number;
  readonly log?: Logger;
  readonly timezone?: string;
  readonly runPiece?: EngineOptions['runPiece'];
}

export interface RunningEngine {
  readonly engine: Engine;
  /** Tells the engine to end, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Starts engines of one kind. What one engine remembers is there for the next. */
export type EnginePlace = (setup: EngineSetup) => Promise<RunningEngine>;

function start(setup: EngineSetup, open: (options: EngineOptions) => Engine): RunningEngine {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const engine = open({
    jobs: setup.jobs,
    timezone: setup.timezone ?? 'UTC',
    log: setup.log ?? silentLog,
    readLastSuccesses: async () => new Map(Object.entries(setup.lastMs ?? {})),
    signal: controller.signal,
    ...(setup.runPiece && { runPiece: setup.runPiece }),
    shutdownTimeoutMs: setup.shutdownTimeoutMs ?? 60_000,
  });
  const done = engine.run();
  const stop = () => {
    controller.abort(new Error('told to end'));
    return done;
  };
  return { engine, stop };
}

export function inlinePlace(onFinished: OnFinished, parts?: InlineDeps): EnginePlace {
  return async (setup) => {
    const running = start(setup, (options) => openInline(options, parts));
    onFinished(running.stop);
    return running;
  };
}

export interface BullMqPlaceOptions extends Omit<RedisSettings, 'concurrency'> {
  readonly db: Database;
  readonly leads?: boolean;
  readonly works?: boolean;
  readonly timing?: Partial<BullMqTiming>;
  readonly onFinished: OnFinished;
}

export const redisSettings = (server: Omit<RedisSettings, 'concurrency'>): RedisSettings => ({
  ...server,
  concurrency: { live: 8, sync: 4, bulk: 2 },
});

/** Makes the place of engines that share the keys under a prefix. */
export function bullMqPlace({
  leads = true,
  works = true,
  db,
  timing,
  onFinished,
  ...server
}: BullMqPlaceOptions): EnginePlace {
  const settings = redisSettings(server);
  const leases = createLeases(db, defaultSchemas);
  const takeLead = async (name: string) => {
    const lock = await leases.tryLock(name);
    return lock.isHeld ? lock : undefined;
  };
  return async (setup) => {
    const redis = new RedisConnections(settings, setup.log ?? silentLog);
    await redis.connect();
    const quick = { tickMs: 1_000, lockDurationMs: 2_000, stalledIntervalMs: 500, ...timing };
    const running = start(setup, (options) =>
      openBullMq({ ...options, redis, settings, takeLead, leads, works, timing: quick }),
    );
    const stop = async () => {
      await running.stop();
      redis.close();
    };
    onFinished(stop);
    return { ...running, stop };
  };
}

import { silentLog } from '../../../src/log.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { closeQueues, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { dispatchPieces } from '../../../src/queue/bullmq/dispatch-pieces.ts';
import { RedisConnections } from '../../../src/queue/redis/redis-connections.ts';
import { openRequestBudget } from '../../../src/queue/redis/request-budget.ts';
import { sleepOrWake } from '../../../src/sleep.ts';
import { recordLog } from '../../support/record-log.ts';
import { bullMqPlace, type OnFinished, redisSettings } from '../open-engines.ts';
import { everySecond, RecordedJobs, until } from '../recorded-job.ts';
import type { RedisSite } from './redis-site.ts';

export const REQUESTS_PER_SECOND = 20;
const names = ['poll', 'increment', 'scan'];

export interface LoadOptions {
  readonly db: Database;
  readonly onFinished: OnFinished;
  /** Upsets the servers. `goesOn` resolves once every kind of work has gone on since its call. */
  readonly upset: (goesOn: () => Promise<void>) => Promise<void>;
}

/** Opens connections that a test closes. */
export function connect(settings: Partial<RedisSite['settings']>, onFinished: OnFinished): RedisConnections {
  const redis = new RedisConnections(redisSettings({ prefix: 's', ...settings }), silentLog);
  onFinished(() => redis.close());
  return redis;
}

/** Waits for connections, however slow the machine is. */
function untilConnected(redis: RedisConnections): Promise<void> {
  return until(() =>
    redis.connect().then(
      () => true,
      () => false,
    ),
  );
}

/**
 * Lets two processes run jobs while the servers are upset. A third one hands out pieces of a backfill, and
 * three more take requests out of their budget. Resolves to what was done when all of it has ended.
 */
export async function workThrough(site: RedisSite, { db, onFinished, upset }: LoadOptions) {
  const { settings } = site;
  const jobs = new RecordedJobs();
  const { log, entries } = recordLog();
  const place = bullMqPlace({ db, ...settings, onFinished });
  const engineJobs = names.map((name, k) =>
    jobs.make(name, { schedule: everySecond, queue: k === 0 ? 'live' : 'sync' }),
  );
  const runPiece = async (piece: unknown) => `done ${piece}`;
  const engines = await Promise.all([1, 2].map(() => place({ log, jobs: engineJobs, runPiece })));
  const ended = new AbortController();
  const backfill = await handOutPieces(site, onFinished, ended.signal);
  const requests = takeRequests(site, onFinished, ended.signal);
  const goesOn = async () => {
    const before = names.map((name) => jobs.of(name).length);
    const piecesBefore = backfill.results.size;
    await until(() => names.every((name, k) => jobs.of(name).length >= (before[k] ?? 0) + 2));
    await until(() => backfill.results.size > piecesBefore);
    await untilConnected(backfill.redis);
  };
  await goesOn();
  await upset(goesOn);
  ended.abort();
  await backfill.ended;
  const { live, sync, bulk } = backfill.queues;
  const countActive = async () =>
    (await Promise.all([live, sync, bulk].map((queue) => queue.getActiveCount()))).reduce((a, b) => a + b);
  await until(async () => (await countActive().catch(() => undefined)) === 0);
  const failed = (await Promise.all([live, sync, bulk].map((queue) => queue.getFailed()))).flat();
  await Promise.all(engines.map(({ stop }) => stop()));
  const reasons = failed.map(({ failedReason }) => failedReason);
  return { jobs, entries, reasons, ...backfill, requestTimes: await requests };
}

async function handOutPieces({ settings }: RedisSite, onFinished: OnFinished, signal: AbortSignal) {
  const redis = connect(settings, onFinished);
  await untilConnected(redis);
  const queues = openQueues({ connection: redis.hasty, prefix: settings.prefix }, () => undefined);
  onFinished(() => closeQueues(queues));
  const given: string[] = [];
  const results = new Map<string, unknown>();
  function* pieces() {
    while (!signal.aborted) {
      given.push(`piece ${given.length}`);
      yield given.at(-1) ?? '';
    }
  }
  const onEnd = (piece: string, end: unknown) => results.set(piece, end).size > 0;
  const work = { pieces: pieces(), onEnd, signal: new AbortController().signal };
  const ended = dispatchPieces(queues.bulk, work, () => undefined);
  return { redis, queues, given, results, ended };
}

/** Takes requests out of the budget as fast as they come, in three processes. Resolves to when they came. */
async function takeRequests({ settings }: RedisSite, onFinished: OnFinished, signal: AbortSignal) {
  const times: number[] = [];
  const processes = [1, 2, 3].map(() => connect(settings, onFinished));
  await Promise.all(processes.map(untilConnected));
  const takeAll = async (redis: RedisConnections) => {
    const options = { platform: 'p', requestsPerSecond: REQUESTS_PER_SECOND };
    const take = openRequestBudget({ redis: redis.hasty, prefix: settings.prefix, ...options });
    while (!signal.aborted) {
      const waitMs = await take();
      if (waitMs === 0) times.push(performance.now());
      await sleepOrWake(Math.max(1, waitMs), signal);
    }
  };
  await Promise.all(processes.map(takeAll));
  return times;
}

/** The master is killed. */
async function killMaster(site: RedisSite, goesOn: () => Promise<void>): Promise<void> {
  const killed = await site.master();
  await killed.kill();
  await until(async () => (await site.master()) !== killed);
  await goesOn();
}

/** Two failovers: the master stands still, and wakes up later as an old one; the next master is killed. */
export async function failOverTwice(site: RedisSite, goesOn: () => Promise<void>): Promise<void> {
  const frozen = await site.master();
  await frozen.signal('SIGSTOP');
  await until(async () => (await site.master()) !== frozen);
  await goesOn();
  await frozen.signal('SIGCONT');
  await killMaster(site, goesOn);
}

/** Returns the most requests beyond the rate that began within any range of time. */
export function findExcess(times: readonly number[]): number {
  let excess = 0;
  for (const [k, from] of times.entries())
    for (let last = k; last < times.length; last += 1) {
      const seconds = ((times[last] ?? from) - from) / 1000;
      excess = Math.max(excess, last - k + 1 - seconds * REQUESTS_PER_SECOND);
    }
  return excess;
}

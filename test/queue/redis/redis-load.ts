import { silentLog } from '../../../src/log.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { closeQueues, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { dispatchPieces } from '../../../src/queue/bullmq/dispatch-pieces.ts';
import { RedisConnections } from '../../../src/queue/redis/redis-connections.ts';
import { openRequestBudget, windowOf } from '../../../src/queue/redis/request-budget.ts';
import { sleepOrWake } from '../../../src/sleep.ts';
import { recordLog } from '../../support/record-log.ts';
import { bullMqPlace, type OnFinished, redisSettings } from '../open-engines.ts';
import { everySecond, RecordedJobs, until } from '../recorded-job.ts';
import type { RedisSite } from './redis-site.ts';

export const REQUESTS_PER_SECOND = 20;
/** The number of processes that take requests. */
const PROCESSES = 3;
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
  return { jobs, entries, reasons, ...backfill, takes: await requests };
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

/** An attempt of a process to take a request out of the budget. */
export interface Take {
  readonly process: number;
  readonly atMs: number;
  /** True if Redis counted it for all processes, false if the process counted it for itself. */
  readonly isShared: boolean;
  readonly isGranted: boolean;
}

/** Takes requests out of the budget as fast as they come, in three processes. Resolves to all attempts. */
async function takeRequests({ settings }: RedisSite, onFinished: OnFinished, signal: AbortSignal) {
  const takes: Take[] = [];
  const processes = Array.from({ length: PROCESSES }, () => connect(settings, onFinished));
  await Promise.all(processes.map(untilConnected));
  const takeAll = async ({ hasty }: RedisConnections, process: number) => {
    let isShared = false;
    const evaluate = hasty.eval.bind(hasty) as (...args: unknown[]) => Promise<unknown>;
    const redis = Object.assign(hasty, {
      async eval(...args: unknown[]) {
        const reply = await evaluate(...args);
        isShared = true;
        return reply;
      },
    });
    const options = { platform: 'p', requestsPerSecond: REQUESTS_PER_SECOND };
    const take = openRequestBudget({ redis, prefix: settings.prefix, ...options });
    while (!signal.aborted) {
      isShared = false;
      const waitMs = await take();
      takes.push({ process, atMs: performance.now(), isShared, isGranted: waitMs === 0 });
      await sleepOrWake(Math.max(1, waitMs), signal);
    }
  };
  await Promise.all(processes.map(takeAll));
  return takes;
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
export function findExcess(takes: readonly Take[]): number {
  const times = takes.filter(({ isGranted }) => isGranted).map(({ atMs }) => atMs);
  let excess = 0;
  for (const [k, from] of times.entries())
    for (let last = k; last < times.length; last += 1) {
      const seconds = ((times[last] ?? from) - from) / 1000;
      excess = Math.max(excess, last - k + 1 - seconds * REQUESTS_PER_SECOND);
    }
  return excess;
}

/**
 * Returns the most requests that may come beyond the rate. One window may begin at the end of another, and
 * each failover may forget one. A process that loses Redis begins a window of its own share. As long as
 * another one still has Redis, which gives away the whole rate, that share is beyond it.
 */
export function allowExcess(takes: readonly Take[], failovers: number): number {
  const share = REQUESTS_PER_SECOND / PROCESSES;
  const alone = new Set<number>();
  let losses = 0;
  let excessMs = 0;
  let beforeMs = takes[0]?.atMs ?? 0;
  for (const { process, atMs, isShared } of takes) {
    if (alone.size < PROCESSES) excessMs += alone.size * (atMs - beforeMs);
    beforeMs = atMs;
    if (isShared) alone.delete(process);
    else if (!alone.has(process)) {
      alone.add(process);
      losses += 1;
    }
  }
  const ofOwn = losses * windowOf(share).points;
  return (1 + failovers) * REQUESTS_PER_SECOND + ofOwn + (share * excessMs) / 1000;
}

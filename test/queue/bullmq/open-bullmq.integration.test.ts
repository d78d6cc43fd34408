import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { commonOptions } from '../../../src/queue/bullmq/bull-queues.ts';
import { RedisConnections } from '../../../src/queue/redis/redis-connections.ts';
import { openTestLedger, type TestLedger } from '../../ledger/test-ledger.ts';
import { recordLog } from '../../support/record-log.ts';
import { startRedis, type TestServer } from '../../support/servers/servers.ts';
import { type BullMqPlaceOptions, bullMqPlace, type OnFinished, redisSettings } from '../open-engines.ts';
import { everySecond, leapDay, RecordedJobs, rarely, until } from '../recorded-job.ts';

let redis: TestServer;
let ledger: TestLedger;
beforeAll(async () => {
  [redis, ledger] = await Promise.all([startRedis(), openTestLedger()]);
});
afterAll(() => Promise.all([redis.close(), ledger.close()]));

type PlaceOptions = Partial<Pick<BullMqPlaceOptions, 'leads' | 'works' | 'timing'>>;

/** Opens a prefix of its own on the Redis of this file, and functions that look at its keys. */
function openSite(onFinished: OnFinished) {
  const prefix = randomUUID();
  const client = new Redis(redis.url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const queue = new Queue('live', { connection: client, prefix });
  queue.on('error', () => undefined);
  onFinished(async () => {
    await queue.close();
    client.disconnect();
  });
  return {
    prefix,
    client,
    queue,
    place: (options: PlaceOptions = {}) =>
      bullMqPlace({ ...options, db: ledger.another(), url: redis.url, prefix, onFinished }),
    flush: async () => client.del(await client.keys(`${prefix}:*`)),
    /** Returns name, pattern and next time of each scheduler. */
    schedulers: async () =>
      (await queue.getJobSchedulers())
        .map(({ key, pattern, next }) => ({ key, pattern, next }))
        .toSorted((a, b) => a.key.localeCompare(b.key)),
  };
}

describe.concurrent('schedules in Redis', () => {
  it('follow the configuration, and are written only where they differ', async ({
    expect,
    onTestFinished,
  }) => {
    const { place, schedulers, queue } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const first = await place({ works: false })({
      jobs: [
        jobs.make('same', { schedule: { everyMs: 3_600_000 }, waits: true }),
        jobs.make('changed', { schedule: { everyMs: 3_600_000 }, waits: true }),
        jobs.make('gone', { waits: true }),
        jobs.make('moved', { waits: true }),
      ],
    });
    await until(async () => (await schedulers()).length === 4);
    await first.stop();
    const before = await schedulers();
    expect(before.map(({ key }) => key)).toEqual(['changed', 'gone', 'moved', 'same']);
    const { entries, log } = recordLog();
    const second = await place({ works: false })({
      log,
      jobs: [
        jobs.make('same', { schedule: { everyMs: 3_600_000 }, waits: true }),
        jobs.make('changed', { schedule: leapDay }),
        jobs.make('moved', { waits: true, queue: 'sync' }),
      ],
    });
    await until(async () => (await schedulers()).length === 2);
    // Two more looks change nothing.
    await sleep(2_100);
    await second.stop();
    const after = await schedulers();
    expect(after).toEqual([
      { key: 'changed', pattern: leapDay.cron, next: expect.any(Number) },
      before.find(({ key }) => key === 'same'),
    ]);
    expect(await queue.getDelayedCount(), 'one turn for each').toBe(2);
    expect(entries.filter((entry) => /schedules were changed/.test(entry))).toHaveLength(2);
  });

  it('heal when everything in Redis is lost, and when only the next turn of a job is', async ({
    expect,
    onTestFinished,
  }) => {
    const { place, client, prefix, schedulers, flush } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    await place()({ jobs: [jobs.make('beat', { schedule: everySecond })] });
    await until(() => jobs.runs.length >= 2);
    await flush();
    const count = jobs.runs.length;
    await until(() => jobs.runs.length >= count + 2);
    await until(async () => (await schedulers()).length === 1);

    // This is the state after a process died between taking a turn and making the next: only a time long past
    // is left.
    await client.del(`${prefix}:live:delayed`);
    await client.zadd(`${prefix}:live:repeat`, Date.now() - 60_000, 'beat');
    const broken = jobs.runs.length;
    await until(() => jobs.runs.length >= broken + 2);
    expect(jobs.greatestOverlap).toBe(1);
  });

  it('are made again where a wrong clock put the next turn too far, and where a worker died before it made one', async ({
    expect,
    onTestFinished,
  }) => {
    const { place, client, prefix, queue, schedulers } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const { entries, log } = recordLog();
    const only = [
      jobs.make('ahead', { schedule: rarely, waits: true }),
      jobs.make('taken', { schedule: rarely }),
    ];
    const leader = await place({ works: false })({ jobs: only, log });
    await until(async () => (await schedulers()).length === 2);
    const [ahead] = await schedulers();
    const nextMs = ahead?.next ?? 0;
    const wrongMs = nextMs + 2 * 3_600_000;
    await client.rename(`${prefix}:live:repeat:ahead:${nextMs}`, `${prefix}:live:repeat:ahead:${wrongMs}`);
    await client.zrem(`${prefix}:live:delayed`, `repeat:ahead:${nextMs}`);
    await client.zadd(`${prefix}:live:delayed`, wrongMs * 4096, `repeat:ahead:${wrongMs}`);
    await client.zadd(`${prefix}:live:repeat`, wrongMs, 'ahead');
    await until(async () => (await schedulers())[0]?.next === nextMs);
    expect(entries).toContainEqual(
      expect.stringMatching(/^warn: the next turns .* later than their schedules/),
    );
    expect(await client.zcard(`${prefix}:live:delayed`), 'the wrong turn is gone').toBe(1);

    // This is the state after a process died a minute ago between taking a turn and making the next.
    const [id = ''] = await client.lrange(`${prefix}:live:wait`, 0, -1);
    const takenMs = Date.now() - 60_000;
    await client
      .multi()
      .lrem(`${prefix}:live:wait`, 1, id)
      .lpush(`${prefix}:live:active`, `repeat:taken:${takenMs}`)
      .exec();
    await client.rename(`${prefix}:live:${id}`, `${prefix}:live:repeat:taken:${takenMs}`);
    await client.hset(`${prefix}:live:repeat:taken:${takenMs}`, 'processedOn', takenMs);
    await client.zadd(`${prefix}:live:repeat`, takenMs, 'taken');
    await until(async () => ((await schedulers())[1]?.next ?? 0) > takenMs);
    await leader.stop();
    expect(
      await queue.getActiveCount(),
      'the turn that was taken is for whoever looks for stalled ones',
    ).toBe(1);
  });

  it('are kept once by several processes, and go on when the one that leads is gone', async ({
    expect,
    onTestFinished,
  }) => {
    const { place, schedulers, flush, prefix } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const beat = jobs.make('beat', { schedule: everySecond });
    const logs = [recordLog(), recordLog()];
    for (const { log } of logs) await place()({ jobs: [beat], log });
    await until(() => jobs.runs.length >= 3);
    const leaders = logs.filter(({ entries }) => entries.includes('info: this process keeps the schedules'));
    expect(leaders).toHaveLength(1);
    expect(await schedulers()).toHaveLength(1);
    // Two schedules would run the job twice as often. A late run may fall into the second of the next one.
    const [first, last] = [jobs.runs[0], jobs.runs.at(-1)].map((run) => run?.begunMs ?? 0) as [
      number,
      number,
    ];
    expect(jobs.runs.length).toBeLessThanOrEqual((last - first) / 1000 + 2);
    // The session of the leader's lock ends as if its process were killed.
    await ledger.db.query(
      `select pg_terminate_backend(l.session) from plantsync.leases as l join plantsync.locks as k on k.lease = l.id
       where k.name = $1`,
      [`schedules of ${prefix}`],
    );
    await flush();
    const count = jobs.runs.length;
    await until(() => jobs.runs.length >= count + 2);
  });
});

describe.concurrent('a worker', () => {
  it('takes up the job of one that is gone', async ({ expect, onTestFinished }) => {
    const { place, client, prefix, queue } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const only = [jobs.make('left', { schedule: rarely })];
    const leader = await place({ works: false })({ jobs: only });
    await until(async () => (await queue.getWaitingCount()) === 1);
    await leader.stop();
    const gone = new Worker('live', null, { ...commonOptions(client, prefix), lockDuration: 300 });
    expect((await gone.getNextJob('gone'))?.name).toBe('left');
    await gone.close();
    const running = await place()({ jobs: only });
    await until(() => jobs.runs.length === 1);
    await running.stop();
    expect(await queue.getJobCounts('completed', 'active', 'waiting')).toEqual({
      completed: 1,
      active: 0,
      waiting: 0,
    });
  });

  it('keeps few finished jobs, and skips one that its configuration does not have', async ({
    expect,
    onTestFinished,
  }) => {
    const { place, queue } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const { entries, log } = recordLog();
    await place()({ log, jobs: [jobs.make('known', { waits: true })] });
    await until(async () => (await queue.getJobSchedulersCount()) === 1);
    const opts = (await queue.getJobScheduler('known'))?.template?.opts ?? {};
    await queue.addBulk(Array.from({ length: 150 }, () => ({ name: 'known', data: {}, opts })));
    await queue.add('unknown', {}, opts);
    // Only the next turn of the scheduler is left.
    await until(async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 1);
    expect(await queue.getCompletedCount()).toBe(100);
    expect(entries).toContainEqual(
      expect.stringMatching(/^warn: skipped: the configuration of this process/),
    );
  });
});

describe('an outage of Redis', () => {
  it('is said once, ends by itself, and keeps nobody from ending or from starting later', async ({
    expect,
    onTestFinished,
  }) => {
    const { place } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const { entries, log } = recordLog();
    const running = await place()({ log, jobs: [jobs.make('beat', { schedule: everySecond })] });
    await until(() => jobs.runs.length >= 1);
    expect(await running.engine.describeHealth()).toMatchObject({
      redis: { isUp: true },
      queues: { live: { delayed: expect.any(Number), failed: 0 } },
    });
    await redis.kill();
    await until(async () => (await running.engine.describeHealth()).redis?.isUp === false);
    await sleep(1_500);
    const repeatedErrors = entries.filter((entry) => entry.startsWith('error: Redis at'));
    expect(new Set(repeatedErrors).size).toBe(repeatedErrors.length);
    expect(await running.engine.describeHealth()).toEqual({
      redis: { isUp: false, reason: expect.stringMatching(/ECONNREFUSED/) },
    });
    await redis.start();
    const count = jobs.runs.length;
    await until(() => jobs.runs.length >= count + 2);
    expect((await running.engine.describeHealth()).redis).toEqual({ isUp: true });
    await redis.kill();
    await until(async () => (await running.engine.describeHealth()).redis?.isUp === false);
    await running.stop();
    const late = new RedisConnections(redisSettings({ url: redis.url, prefix: 'p' }), log);
    onTestFinished(() => late.close());
    await expect(late.connect()).rejects.toMatchObject({
      action: 'retry',
      message: expect.stringMatching(/Redis at .* cannot be used \(.*ECONNREFUSED.*\): start it, or correct/),
    });
    await redis.start();
    await until(() =>
      late.connect().then(
        ({ version }) => version !== '',
        () => false,
      ),
    );
  });

  it('that is full is told, does not drive its workers mad, and is over when there is room', async ({
    expect,
    onTestFinished,
  }) => {
    const { place, client } = openSite(onTestFinished);
    const jobs = new RecordedJobs();
    const { entries, log } = recordLog();
    const running = await place()({ log, jobs: [jobs.make('beat', { schedule: everySecond })] });
    await until(() => jobs.runs.length >= 1);
    await client.config('SET', 'maxmemory', '1');
    onTestFinished(async () => {
      await client.config('SET', 'maxmemory', '0');
    });
    const remedy = /OOM command not allowed.*: its memory is full: raise maxmemory there/;
    await until(async () => (await running.engine.describeHealth()).redis?.isUp === false);
    expect(await running.engine.describeHealth()).toEqual({
      redis: { isUp: false, reason: expect.stringMatching(remedy) },
    });
    const late = new RedisConnections(redisSettings({ url: redis.url, prefix: 'p' }), log);
    onTestFinished(() => late.close());
    await expect(late.connect()).rejects.toMatchObject({
      action: 'retry',
      message: expect.stringMatching(remedy),
    });
    await client.config('RESETSTAT');
    await until(() => entries.some((entry) => entry.startsWith('error: Redis at') && remedy.test(entry)));
    await sleep(1_000);
    const refused = Number(/errorstat_OOM:count=(\d+)/.exec(await client.info('errorstats'))?.[1] ?? 0);
    expect(refused).toBeLessThan(100);
    await client.config('SET', 'maxmemory', '0');
    const count = jobs.runs.length;
    await until(() => jobs.runs.length >= count + 2);
  });

  it('that hangs keeps nobody from ending, whenever that is asked', async ({ onTestFinished }) => {
    const { place, client } = openSite(onTestFinished);
    const jobs = [new RecordedJobs().make('left', { schedule: rarely })];
    const running = await Promise.all(
      [1, 2, 3, 4, 5].map(() => place({ leads: false, timing: { stalledIntervalMs: 30_000 } })({ jobs })),
    );
    await sleep(1_500);
    const pid = Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));
    await Promise.all(
      running.map(async ({ stop }, k) => {
        // About now BullMQ gives up its blocked connection, and makes a new one.
        await sleep(2_500 + 500 * k);
        await stop();
      }),
    );
  });
});

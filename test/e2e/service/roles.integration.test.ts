import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunningPlantsync } from '../../support/program/plantsync.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { startRedis } from '../../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';
import { expectHistory } from '../../support/truth/simulated-truth.ts';

const password = 'Redis canary#1';

async function openSite() {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const client = new Redis(redis.url);
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  await client.config('SET', 'requirepass', password);
  const simulator = await openSimulator({ size: 'tiny', seed: 7 });
  const history = { start: '1h', every: '1s', settle: '2s', lookback: '20s' };
  const plant = await makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    redis: { url: redis.url, password },
    alarms: noAlarms,
    streams: { ...onlyStreams('objects'), object_properties: { every: '1h' } },
    runtime: [{ current: { every: '1s' }, history }],
    limits: { shutdownTimeout: '2s' },
  }));
  return { ...plant, redis, client };
}

type Site = Awaited<ReturnType<typeof openSite>>;

/** Waits until each of these processes has done polls since the last look. */
async function expectAtWork({ databases }: Site, ...workers: RunningPlantsync[]): Promise<void> {
  const count = async ({ process }: RunningPlantsync) =>
    Number(
      (
        await databases.rows(
          `select count(*)::int from plantsync.runs where status = 'done' and pid = ${process.pid}`,
        )
      )[0],
    );
  for (const worker of workers) {
    await worker.printed(/the service runs/);
    const before = await count(worker);
    while ((await count(worker)) === before) await sleep(100);
  }
}

/** Returns every text that Redis holds. */
async function readAll(client: Redis): Promise<string> {
  const texts: unknown[] = [];
  for (const key of await client.keys('*')) {
    texts.push(key);
    const type = await client.type(key);
    if (type === 'string') texts.push(await client.get(key));
    if (type === 'hash') texts.push(await client.hgetall(key));
    if (type === 'list') texts.push(await client.lrange(key, 0, -1));
    if (type === 'zset') texts.push(await client.zrange(key, '0', '-1'));
    if (type === 'stream') texts.push(await client.xrange(key, '-', '+'));
  }
  return JSON.stringify(texts);
}

async function end(process: RunningPlantsync): Promise<void> {
  process.process.kill('SIGTERM');
  const { code, output } = await process.ended;
  expect(code, output).toBe(0);
}

describe('a scheduler and two workers', () => {
  it('share the work, outlive each other and Redis, and store everything once', async () => {
    const site = await openSite();
    const { start, folder, redis, client, databases, simulator } = site;
    const check = await runCommand(folder, ['check', '--json']);
    expect(JSON.parse(check.stdout).checks).toContainEqual({
      what: 'Redis',
      ok: true,
      detail: expect.stringMatching(/^version \S+ at 127\.0\.0\.1:\d+, maxmemory-policy noeviction$/),
    });
    const asWorker = ['run', '--role', 'worker'];
    const scheduler = start(['run', '--role', 'scheduler']);
    const workers = [start(asWorker), start(asWorker)] as const;
    await expectAtWork(site, ...workers);

    workers[0].process.kill('SIGKILL');
    scheduler.process.kill('SIGKILL');
    await client.flushall();
    const nextScheduler = start(['run', '--role', 'scheduler']);
    await nextScheduler.printed(/schedules were changed/);
    await expectAtWork(site, workers[1]);

    await redis.kill();
    await workers[1].printed(/Redis at .* cannot be used/);
    await redis.start();
    await client.config('SET', 'requirepass', password);
    await expectAtWork(site, workers[1]);
    const held = await readAll(client);
    expect(held).toContain('poll-1');
    expect(held).not.toContain(simulator.secret);
    expect(held).not.toContain(password);

    await end(nextScheduler);
    await redis.kill();
    await end(workers[1]);

    const toMs = Math.floor(Date.now() / 1000) * 1000 - 10_000;
    expect(await runCommand(folder, ['sync', 'history'])).toMatchObject({ code: 0 });
    expect(await expectHistory({ simulator, databases }, { fromMs: toMs - 1_800_000, toMs })).toBeGreaterThan(
      500,
    );
  });
});

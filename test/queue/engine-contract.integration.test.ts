import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openTestLedger, type TestLedger } from '../ledger/test-ledger.ts';
import { openRedis, type TestRedis } from '../support/servers/servers.ts';
import { bullMqPlace, type EnginePlace, inlinePlace, type OnFinished } from './open-engines.ts';
import { everySecond, leapDay, RecordedJobs, rarely, until } from './recorded-job.ts';

let redis: TestRedis;
let ledger: TestLedger;
beforeAll(async () => {
  [redis, ledger] = await Promise.all([openRedis(), openTestLedger()]);
});
afterAll(() => Promise.all([redis.close(), ledger.close()]));

const engines: [string, (onFinished: OnFinished) => EnginePlace][] = [
  ['in the process', inlinePlace],
  [
    'on Redis',
    (onFinished) => bullMqPlace({ db: ledger.db, url: redis.url, prefix: randomUUID(), onFinished }),
  ],
];

describe.concurrent.each(engines)('an engine %s', (_, openPlace) => {
  it('runs a job at once and then whenever it is due, never beside itself', async ({
    expect,
    onTestFinished,
  }) => {
    const jobs = new RecordedJobs();
    const second = (ms: number) => Math.round(ms / 1000);
    const firstSecond = Math.floor(Date.now() / 1000);
    const quick = jobs.make('quick', { schedule: everySecond });
    const slow = jobs.make('slow', { schedule: everySecond }, async () => {
      await sleep(1_200);
      return undefined;
    });
    const running = await openPlace(onTestFinished)({ jobs: [quick, slow] });
    await until(() => jobs.of('quick').length >= 4 && jobs.of('slow').length >= 2);
    await running.stop();
    expect(jobs.greatestOverlap).toBe(1);
    // The first run comes at once. Each later run has a second of its own, and begins there or later.
    const seconds = jobs.of('quick').map(({ begunMs }) => second(begunMs));
    for (const [k, begun] of seconds.entries()) expect(begun).toBeGreaterThanOrEqual(firstSecond + k);
  });

  it('does once what was missed, and neither what was done nor what waits for its time', async ({
    expect,
    onTestFinished,
  }) => {
    const jobs = new RecordedJobs();
    const running = await openPlace(onTestFinished)({
      jobs: [
        jobs.make('missed', { queue: 'sync' }),
        jobs.make('missed-day', { schedule: { cron: `0 ${(new Date().getUTCHours() + 12) % 24} * * *` } }),
        jobs.make('done'),
        jobs.make('new-day', { schedule: leapDay }),
        jobs.make('needed-day', { schedule: leapDay }),
        jobs.make('sweep', { waits: true }),
        jobs.make('child', { schedule: leapDay, needs: ['needed-day'] }),
        jobs.make('beat', { schedule: everySecond }),
      ],
      lastMs: { missed: 0, 'missed-day': Date.now() - 30 * 3_600_000, done: Date.now() - 1 },
    });
    await until(() => jobs.of('beat').length >= 3);
    await running.stop();
    expect(jobs.names.filter((name) => name !== 'beat').toSorted()).toEqual([
      'missed',
      'missed-day',
      'needed-day',
    ]);
  });

  it('tries a failed job again before it is due, and lets those that need it wait until it has succeeded', async ({
    expect,
    onTestFinished,
  }) => {
    const jobs = new RecordedJobs();
    const parent = jobs.make('parent', { queue: 'sync' }, async () => {
      if (jobs.of('parent').length === 1) throw new Error('down');
      return undefined;
    });
    const child = jobs.make('child', { needs: ['parent'] });
    const running = await openPlace(onTestFinished)({ jobs: [child, parent] });
    await until(() => jobs.of('child').length >= 1);
    await running.stop();
    expect(jobs.names).toEqual(['parent', 'parent', 'child']);
  });

  it('lets running jobs end when it is stopped', async ({ expect, onTestFinished }) => {
    const jobs = new RecordedJobs();
    const work = jobs.make('work', {}, async () => {
      await sleep(400);
      return undefined;
    });
    const running = await openPlace(onTestFinished)({ jobs: [work] });
    await until(() => jobs.runs.length === 1);
    await running.stop();
    expect(jobs.runs).toMatchObject([{ ended: true, aborted: false }]);
  });

  it('tells running jobs to stop when the time for that is over, and runs them again at the next start', async ({
    expect,
    onTestFinished,
  }) => {
    const jobs = new RecordedJobs();
    const endless = jobs.make('endless', {}, async (signal) => {
      if (jobs.of('endless').length > 1) return undefined;
      await sleep(60_000, undefined, { signal });
      return undefined;
    });
    const place = openPlace(onTestFinished);
    const first = await place({ jobs: [endless], shutdownTimeoutMs: 200 });
    await until(() => jobs.runs.length === 1);
    await first.stop();
    expect(jobs.runs).toMatchObject([{ ended: true, aborted: true }]);
    const second = await place({ jobs: [endless] });
    await until(() => jobs.runs.length === 2);
    await second.stop();
    expect(jobs.runs[1]).toMatchObject({ ended: true, aborted: false });
  });

  it('runs a job when it is asked for, and once more where it was at work', async ({
    expect,
    onTestFinished,
  }) => {
    const jobs = new RecordedJobs();
    const asked = jobs.make('asked', { waits: true }, async () => {
      await sleep(500);
      return undefined;
    });
    const running = await openPlace(onTestFinished)({ jobs: [asked, jobs.make('other')] });
    await until(() => jobs.of('other').length === 1);
    await running.engine.trigger('asked');
    await until(() => jobs.of('asked').length === 1);
    await running.engine.trigger('asked');
    await until(() => jobs.of('asked').length === 2);
    await running.stop();
    expect(jobs.greatestOverlap).toBe(1);
  });

  it('leaves a paused job at each of its times, and does not take it for done', async ({
    expect,
    onTestFinished,
  }) => {
    const jobs = new RecordedJobs();
    const paused = jobs.make('paused', { schedule: everySecond }, async () => 'paused');
    const running = await openPlace(onTestFinished)({
      jobs: [paused, jobs.make('child', { needs: ['paused'] })],
    });
    await until(() => jobs.of('paused').length >= 3);
    await running.stop();
    expect(jobs.of('child')).toEqual([]);
  });

  it('goes on after a job that somebody else is doing', async ({ onTestFinished }) => {
    const jobs = new RecordedJobs();
    const busy = jobs.make('busy', { schedule: everySecond }, async () =>
      jobs.of('busy').length === 1 ? 'busy' : undefined,
    );
    const running = await openPlace(onTestFinished)({
      jobs: [busy, jobs.make('other', { schedule: rarely })],
    });
    await until(() => jobs.of('busy').length >= 2 && jobs.of('other').length === 1);
    await running.stop();
  });
});

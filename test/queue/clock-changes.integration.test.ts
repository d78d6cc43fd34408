import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Schedule } from '../../src/config/schedule.ts';
import { openTestLedger, type TestLedger } from '../ledger/test-ledger.ts';
import { openRedis, type TestRedis } from '../support/servers/servers.ts';
import { bullMqPlace, type EnginePlace, inlinePlace, type RunningEngine } from './open-engines.ts';
import { RecordedJobs, until } from './recorded-job.ts';
import { StandingTime } from './standing-time.ts';

const minuteMs = 60_000;

let redis: TestRedis;
let ledger: TestLedger;
beforeAll(async () => {
  [redis, ledger] = await Promise.all([openRedis(), openTestLedger()]);
});
afterAll(() => Promise.all([redis.close(), ledger.close()]));

/** An engine's surroundings in which a test lets time pass. */
interface Night {
  readonly place: EnginePlace;
  now(): number;
  /** Lets time pass. A running engine does all jobs that fall due; without an engine, time just passes. */
  passUntil(ms: number, running?: RunningEngine): Promise<void>;
}

/** Opens surroundings whose clock jumps from one wait of the engine to the next. */
function openInlineNight(startMs: number): Night {
  const time = new StandingTime(startMs);
  const place = inlinePlace(onTestFinished, time.parts);
  return { place, now: () => time.nowMs, passUntil: (ms) => time.passUntil(ms) };
}

/**
 * Starts surroundings with a real Redis and BullMQ. The clock of this process stands still, and moves on in
 * steps. It stands for the clock of the server too. BullMQ asks what is due when it is woken, which a
 * triggered job does at each step.
 */
function startRedisNight(startMs: number): Night {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  onTestFinished(() => void vi.useRealTimers());
  const prefix = randomUUID();
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queue = new Queue('live', { connection, prefix });
  onTestFinished(async () => {
    await queue.close();
    connection.disconnect();
  });
  let woken = 0;
  const wake = new RecordedJobs().make('wake', { waits: true }, async () => {
    woken += 1;
    return undefined;
  });
  const timing = {
    tickMs: 2 ** 31 - 1,
    lockDurationMs: 60_000,
    stalledIntervalMs: 30_000,
    readTime: async () => Date.now(),
  };
  const open = bullMqPlace({
    db: ledger.db,
    url: redis.url,
    prefix,
    timing,
    onFinished: onTestFinished,
  });
  const isAtRest = async () =>
    (await queue.getJobCountByTypes('waiting', 'active', 'prioritized')) === 0 &&
    (await queue.getDelayed()).every((job) => job.timestamp + job.delay > Date.now());
  return {
    now: Date.now,
    async place(setup) {
      const running = await open({ ...setup, jobs: [...setup.jobs, wake] });
      await until(async () => (await queue.getJobSchedulersCount()) === setup.jobs.length + 1);
      return running;
    },
    async passUntil(endMs, running) {
      for (;;) {
        const before = woken;
        await running?.engine.trigger('wake');
        await until(async () => running === undefined || (woken > before && (await isAtRest())));
        if (Date.now() >= endMs) return;
        vi.setSystemTime(Math.min(endMs, Date.now() + 10 * minuteMs));
      }
    },
  };
}

const schedules: Record<string, Schedule> = {
  'time of day': { cron: '30 2 * * *' },
  'two times': { cron: '0,30 2 * * *' },
  'even hours': { cron: '0 */2 * * *' },
  steps: { cron: '*/30 * * * *' },
  distance: { everyMs: 40 * minuteMs },
};

const at = (time: string) => Date.parse(`${time}:00Z`);
const shown = (ms: number) => new Date(ms).toISOString().slice(11, 16);

/** Opens engines that run all schedules in Berlin, as if each had succeeded just before the first start. */
function openRuns(night: Night) {
  const startMs = night.now();
  const runs: Record<string, number[]> = Object.fromEntries(Object.keys(schedules).map((name) => [name, []]));
  const jobs = Object.entries(schedules).map(([name, schedule]) => ({
    name,
    queue: 'live' as const,
    schedule,
    needs: [],
    run: async () => {
      runs[name]?.push(night.now());
      return 'done' as const;
    },
  }));
  const start = () =>
    night.place({
      jobs,
      timezone: 'Europe/Berlin',
      lastMs: Object.fromEntries(jobs.map(({ name }) => [name, runs[name]?.at(-1) ?? startMs])),
    });
  const seen = () =>
    Object.fromEntries(Object.entries(runs).map(([name, times]) => [name, times.map(shown).join(' ')]));
  return { start, seen };
}

const engines: [string, (startMs: number) => Night][] = [
  ['in the process', openInlineNight],
  ['on Redis', startRedisNight],
];

describe.each(engines)('an engine %s', (_, openNight) => {
  it('keeps its times where the clock is put forward from 2:00 to 3:00', async () => {
    const night = openNight(at('2026-03-29T00:00'));
    const { start, seen } = openRuns(night);
    await night.passUntil(at('2026-03-29T03:00'), await start());
    expect(seen()).toEqual({
      'time of day': '01:30',
      'two times': '01:00 01:30',
      'even hours': '01:00 02:00',
      steps: '00:30 01:00 01:30 02:00 02:30 03:00',
      distance: '00:40 01:20 02:00 02:40',
    });
  });

  it('keeps its times where the clock is put back from 3:00 to 2:00', async () => {
    const night = openNight(at('2026-10-24T23:00'));
    const { start, seen } = openRuns(night);
    await night.passUntil(at('2026-10-25T03:00'), await start());
    expect(seen()).toEqual({
      'time of day': '00:30',
      'two times': '00:00 00:30',
      'even hours': '00:00 03:00',
      steps: '23:30 00:00 00:30 01:00 01:30 02:00 02:30 03:00',
      distance: '23:20 00:00 00:40 01:20 02:00 02:40',
    });
  });

  it.each([
    [
      'forward',
      ['2026-03-29T00:00', '2026-03-29T00:50', '2026-03-29T01:10', '2026-03-29T02:00'],
      {
        'time of day': '01:30',
        'two times': '01:10 01:30',
        'even hours': '01:10 02:00',
        steps: '00:30 01:10 01:30 02:00',
        distance: '00:40 01:20 02:00',
      },
    ],
    [
      'back',
      ['2026-10-24T23:00', '2026-10-25T00:10', '2026-10-25T01:10', '2026-10-25T02:00'],
      {
        'time of day': '01:10',
        'two times': '00:00 01:10',
        'even hours': '00:00',
        steps: '23:30 00:00 01:10 01:30 02:00',
        distance: '23:20 00:00 01:10 01:20 02:00',
      },
    ],
  ])(
    'makes up once for what fell into a stop while the clock was put %s, and goes on in step',
    async (_, times, expected) => {
      const [startMs = 0, stopMs = 0, againMs = 0, endMs = 0] = times.map(at);
      const night = openNight(startMs);
      const { start, seen } = openRuns(night);
      const first = await start();
      await night.passUntil(stopMs, first);
      await first.stop();
      await night.passUntil(againMs);
      await night.passUntil(endMs, await start());
      expect(seen()).toEqual(expected);
    },
  );
});

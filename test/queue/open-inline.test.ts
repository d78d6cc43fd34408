import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/log.ts';
import type { EngineJob } from '../../src/queue/engine.ts';
import { openInline } from '../../src/queue/open-inline.ts';
import { recordLog } from '../support/record-log.ts';
import { StandingTime } from './standing-time.ts';

function startEngine(jobs: EngineJob[], { log = silentLog, lastMs = {} as Record<string, number> } = {}) {
  const time = new StandingTime(1_000_000);
  const controller = new AbortController();
  const options = {
    jobs,
    timezone: 'UTC',
    log,
    readLastSuccesses: async () => new Map(Object.entries(lastMs)),
    signal: controller.signal,
    shutdownTimeoutMs: 1_000,
  };
  const engine = openInline(options, time.parts);
  const countListeners = () => getEventListeners(controller.signal, 'abort').length;
  return { time, stop: () => controller.abort(), done: engine.run(), countListeners };
}

const job = (
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  more: Partial<EngineJob> = {},
): EngineJob => ({
  name,
  queue: 'live',
  schedule: { everyMs: 10_000 },
  needs: [],
  run: async (signal) => {
    await work(signal);
    return 'done';
  },
  ...more,
});

describe('openInline', () => {
  it('runs a job at once and then whenever it is due', async () => {
    const runs: number[] = [];
    const engine = startEngine([job('a', async () => void runs.push(engine.time.nowMs))]);
    await engine.time.passUntil(1_035_000);
    engine.stop();
    await engine.done;
    expect(runs).toEqual([1_000_000, 1_010_000, 1_020_000, 1_030_000]);
  });

  it('never runs a job beside itself, and makes up for nothing after a long run', async () => {
    const runs: number[] = [];
    let open = 0;
    const engine = startEngine([
      job('slow', async (signal) => {
        runs.push(engine.time.nowMs);
        expect(++open).toBe(1);
        await engine.time.sleep(25_000, signal);
        open--;
      }),
    ]);
    await engine.time.passUntil(1_065_000);
    engine.stop();
    await engine.time.passUntil(1_070_000);
    await engine.done;
    expect(runs).toEqual([1_000_000, 1_030_000, 1_060_000]);
  });

  it('runs a time of day that fell into a long run once, right after it', async () => {
    const runs: number[] = [];
    const engine = startEngine([
      job(
        'cron',
        async (signal) => {
          runs.push(engine.time.nowMs);
          if (runs.length === 1) await engine.time.sleep(70_000, signal);
        },
        { schedule: { cron: '* * * * *' } },
      ),
    ]);
    await engine.time.passUntil(1_200_000);
    engine.stop();
    await engine.done;
    expect(runs).toEqual([1_020_000, 1_090_000, 1_140_000, 1_200_000]);
  });

  it('tries a failed job again soon, less and less often, but not later than it is due', async () => {
    const runs: number[] = [];
    const fail = async () => {
      runs.push(engine.time.nowMs);
      throw new Error('no');
    };
    const engine = startEngine([job('bad', fail, { schedule: { everyMs: 40_000 } })]);
    await engine.time.passUntil(1_085_000);
    engine.stop();
    await engine.done;
    expect(runs.map((ms) => ms - 1_000_000)).toEqual([0, 5_000, 15_000, 35_000, 40_000, 80_000]);
  });

  it('logs each failure in the same words, and once that they are over', async () => {
    const entries: string[] = [];
    const note =
      (level: string) =>
      (_: object, text: string): void =>
        void entries.push(`${level}: ${text}`);
    const log = { ...silentLog, error: note('error'), info: note('info') } as never;
    let reason = 'down';
    const fail = async () => {
      if (reason !== '') throw new Error(reason);
    };
    const engine = startEngine([job('bad', fail, { schedule: { everyMs: 5_000 } })], { log });
    await engine.time.passUntil(1_050_000);
    await engine.time.passUntil(1_080_000);
    reason = 'out of order';
    await engine.time.passUntil(1_090_000);
    reason = '';
    await engine.time.passUntil(1_100_000);
    engine.stop();
    await engine.done;
    expect(entries.length).toBeGreaterThan(5);
    expect(new Set(entries)).toEqual(new Set(['error: down', 'error: out of order', 'info: succeeds again']));
    expect(entries.indexOf('info: succeeds again')).toBe(entries.length - 1);
  });

  it('begins a job only after those that it needs have succeeded', async () => {
    const order: string[] = [];
    let healthy = false;
    const engine = startEngine([
      job('child', async () => void order.push('child'), { needs: ['parent'] }),
      job('parent', async () => {
        order.push('parent');
        if (!healthy) throw new Error('down');
      }),
    ]);
    await engine.time.passUntil(1_004_000);
    expect(order).toEqual(['parent']);
    healthy = true;
    await engine.time.passUntil(1_005_000);
    engine.stop();
    await engine.done;
    expect(order).toEqual(['parent', 'parent', 'child']);
  });

  it('lets running jobs end when it is stopped', async () => {
    let ended = false;
    const engine = startEngine([
      job('work', async () => {
        await engine.time.sleep(500, new AbortController().signal);
        ended = true;
      }),
    ]);
    await engine.time.passUntil(1_000_100);
    engine.stop();
    await engine.time.passUntil(1_000_600);
    await engine.done;
    expect(ended).toBe(true);
  });

  it('tells running jobs to stop when the time for that is over', async () => {
    let reason = '';
    const engine = startEngine([
      job('endless', async (signal) => {
        await engine.time.sleep(1e9, signal);
        reason = signal.aborted ? 'aborted' : 'over';
      }),
    ]);
    await engine.time.passUntil(1_000_100);
    engine.stop();
    await engine.time.passUntil(1_000_900);
    expect(reason).toBe('');
    await engine.time.passUntil(1_001_200);
    await engine.done;
    expect(reason).toBe('aborted');
  });

  it('does once what was missed while nothing ran, and nothing that is not due', async () => {
    const runs: string[] = [];
    const note = (name: string) => async () => void runs.push(`${name} ${engine.time.nowMs - 1_000_000}`);
    const daily = { schedule: { cron: '0 0 * * *' } };
    const engine = startEngine(
      [
        job('missed', note('missed')),
        job('missed-day', note('missed-day'), daily),
        job('done', note('done'), { schedule: { everyMs: 60_000 } }),
        job('new-day', note('new-day'), daily),
        job('needed-day', note('needed-day'), daily),
        job('sweep', note('sweep'), { schedule: { everyMs: 30_000 }, waits: true }),
        job('child', note('child'), { ...daily, needs: ['needed-day'] }),
      ],
      { lastMs: { missed: 900_000, 'missed-day': -90_000_000, done: 990_000 } },
    );
    await engine.time.passUntil(1_009_000);
    expect(runs.toSorted()).toEqual(['missed 0', 'missed-day 0', 'needed-day 0']);
    await engine.time.passUntil(1_020_500);
    engine.stop();
    await engine.done;
    expect(runs.slice(3).toSorted()).toEqual(['done 20000', 'missed 10000', 'missed 20000', 'sweep 20000']);
  });

  it('listens to the signal of the service with many jobs as often as with one', async () => {
    const countFor = async (jobs: number): Promise<number> => {
      const names = Array.from({ length: jobs }, (_, k) => `job-${k}`);
      const engine = startEngine(names.map((name) => job(name, async () => undefined)));
      await engine.time.passUntil(1_030_000);
      const count = engine.countListeners();
      engine.stop();
      await engine.done;
      expect(engine.countListeners()).toBe(0);
      return count;
    };
    expect(await countFor(40)).toBe(await countFor(1));
  });

  it.each([1, 8, 48])('goes on at once when the clock was %d hours ahead and is put back', async (hours) => {
    const runs: Record<string, number[]> = { poll: [], hourly: [], retried: [] };
    const { entries, log } = recordLog();
    const note = (name: string) => async () => void runs[name]?.push(engine.time.nowMs - 1_000_000);
    const engine = startEngine(
      [
        job('poll', note('poll')),
        job('hourly', note('hourly'), { schedule: { cron: '0 * * * *' } }),
        job('retried', async () => {
          await note('retried')();
          throw new Error('down');
        }),
      ],
      { log },
    );
    await engine.time.passUntil(1_015_000);
    engine.time.aheadMs = hours * 3_600_000;
    await engine.time.passUntil(1_035_000);
    engine.time.aheadMs = 0;
    for (const list of Object.values(runs)) list.length = 0;
    await engine.time.passUntil(4_600_000);
    engine.stop();
    await engine.done;
    expect(runs.poll?.slice(0, 3)).toEqual([50_000, 60_000, 70_000]);
    expect(runs.retried?.slice(0, 3)).toEqual([50_000, 60_000, 70_000]);
    expect(runs.hourly).toEqual([2_600_000]);
    const steps = entries.filter((entry) => entry.includes('the clock was'));
    expect(steps).toEqual([
      expect.stringMatching(
        `put forward by ${hours * 3600} s, or the machine slept: schedules are made again`,
      ),
      expect.stringMatching(`put back by ${hours * 3600} s: schedules are made again`),
    ]);
  });
});

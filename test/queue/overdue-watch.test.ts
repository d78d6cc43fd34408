import { describe, expect, it } from 'vitest';
import { type LastBegin, OverdueWatch, type WatchedJob } from '../../src/queue/overdue-watch.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const job = (name: string, more: Partial<WatchedJob> = {}): WatchedJob => ({
  name,
  schedule: { everyMs: 10_000 },
  needs: [],
  ...more,
});

/** Opens a service that is looked at every five seconds. A test may set its wall clock. */
function openService(...jobs: WatchedJob[]) {
  const time = { steadyMs: 0, wallMs: Date.parse('2026-05-04T10:00:00Z') };
  const begins = new Map<string, LastBegin>();
  const resting = new Set<string>();
  const clocks = { timezone: 'UTC', clock: () => time.wallMs, steadyMs: () => time.steadyMs };
  const watch = new OverdueWatch(jobs, clocks);
  const pass = (ms: number, onLook = () => {}) => {
    for (const endMs = time.steadyMs + ms; time.steadyMs <= endMs; ) {
      onLook();
      watch.look({ begins, resting });
      time.steadyMs += 5_000;
      time.wallMs += 5_000;
    }
  };
  let id = 0;
  const begin = (name: string, more: Partial<LastBegin> = {}) =>
    begins.set(name, { id: ++id, ageMs: 0, isRunning: false, ...more });
  const overdue = () => watch.report().flatMap((each) => (each.isOverdue ? each.job : []));
  return { time, pass, begin, overdue, resting, report: () => watch.report() };
}

describe('OverdueWatch', () => {
  it('tells a job that does not begin for two minutes, and that it begins again', () => {
    const { pass, begin, overdue, report } = openService(job('poll'));
    pass(5 * minuteMs, () => begin('poll'));
    expect(overdue()).toEqual([]);
    pass(2 * minuteMs);
    expect(overdue()).toEqual([]);
    pass(minuteMs);
    expect(overdue()).toEqual(['poll']);
    expect(report()[0]?.overdueSec).toBeGreaterThan(120);
    begin('poll');
    pass(5_000);
    expect(overdue()).toEqual([]);
  });

  it('gives a long period two of them', () => {
    const { pass, begin, overdue } = openService(job('scan', { schedule: { everyMs: hourMs } }));
    begin('scan');
    pass(2.9 * hourMs);
    expect(overdue()).toEqual([]);
    pass(0.3 * hourMs);
    expect(overdue()).toEqual(['scan']);
  });

  it.each([-hourMs, hourMs, -48 * hourMs])('is not misled where the clock is set by %d ms', (stepMs) => {
    const { time, pass, begin, overdue } = openService(job('poll'), job('stuck'));
    begin('stuck');
    pass(minuteMs, () => begin('poll'));
    time.wallMs += stepMs;
    pass(5 * minuteMs, () => begin('poll'));
    expect(overdue()).toEqual(['stuck']);
  });

  it('does not take for overdue what runs, is paused, or has never been seen to be due', () => {
    const { pass, begin, overdue, resting } = openService(
      job('long'),
      job('paused'),
      job('sweep', { schedule: { cron: '0 3 * * *' }, waits: true }),
      job('daily', { schedule: { cron: '0 3 * * *' } }),
    );
    begin('long', { isRunning: true });
    resting.add('paused');
    pass(2 * hourMs);
    expect(overdue()).toEqual([]);
    begin('long');
    resting.clear();
    pass(minuteMs);
    expect(overdue()).toEqual([]);
    pass(3 * minuteMs);
    expect(overdue()).toEqual(['long', 'paused']);
  });

  it('gives what was missed before the start two minutes, and then tells it', () => {
    const { pass, begin, overdue } = openService(job('hourly', { schedule: { everyMs: hourMs } }));
    begin('hourly', { ageMs: 24 * hourMs });
    pass(110_000);
    expect(overdue()).toEqual([]);
    pass(20_000);
    expect(overdue()).toEqual(['hourly']);
  });

  it('takes no time for lost in which nobody looked', () => {
    const { time, pass, begin, overdue } = openService(job('poll'));
    pass(3 * minuteMs, () => begin('poll'));
    time.steadyMs += hourMs;
    time.wallMs += hourMs;
    pass(5_000);
    expect(overdue()).toEqual([]);
  });
});

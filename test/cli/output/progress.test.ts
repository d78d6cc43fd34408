import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openProgress } from '../../../src/cli/output/progress.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Creates a log, and returns its entries once they are written. */
function recordLog() {
  const sink = new PassThrough();
  const entries = async () => {
    sink.end();
    const lines = (await text(sink)).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { log: pino({ level: 'info' }, sink), entries };
}

describe('openProgress without a terminal', () => {
  it('logs every 10 s how far each running piece of work is, and nothing of finished work', async () => {
    vi.useFakeTimers();
    const { log, entries } = recordLog();
    const progress = openProgress({ log, terminal: undefined, clock: Date.now });
    const history = progress.start('history', 200, 'windows');
    const persons = progress.start('persons', undefined, 'records');
    history.add(40);
    history.bring(36_000, 'points');
    persons.add(1_500);
    vi.advanceTimersByTime(10_000);
    persons.finish();
    history.setTotal(100);
    history.add(40);
    vi.advanceTimersByTime(10_000);
    progress.close();
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect(await entries()).toMatchObject([
      {
        stream: 'history',
        done: 40,
        total: 200,
        perSecond: 4,
        points: 36_000,
        pointsPerSecond: 3_600,
        msg: 'history: 40 of 200 windows (20%, 3,600 points/s, 40 s left)',
      },
      { stream: 'persons', done: 1_500, msg: 'persons: 1,500 records' },
      {
        stream: 'history',
        done: 80,
        total: 100,
        perSecond: 4,
        msg: 'history: 80 of 100 windows (80%, 1,800 points/s, 5 s left)',
      },
    ]);
  });
});

describe('openProgress on a terminal', () => {
  it('ends at 100 % what ended well, and keeps the place of anything else', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const drawn = text(terminal);
    const progress = openProgress({
      log: pino({ level: 'silent' }),
      terminal: terminal as unknown as NodeJS.WriteStream,
      clock: Date.now,
    });
    const good = progress.start('persons', 10, 'records');
    const bad = progress.start('history', 10, 'windows');
    good.add(9);
    bad.add(4);
    good.finish();
    bad.finish('interrupted');
    progress.close();
    terminal.end();
    const output = await drawn;
    expect(output).toMatch(/persons .* 100% {2}9\/9 records .* done/);
    expect(output).toMatch(/history .* 40% {2}4\/10 windows .* interrupted/);
    expect(output).not.toMatch(/history .* 100%/);
  });
});

import { describe, expect, it } from 'vitest';
import { countDue, firstRun, nextRun } from '../../src/queue/next-run.ts';

const at = (text: string) => Date.parse(text);

function fires(cron: string, timezone: string, from: string, count: number): string[] {
  const times: string[] = [];
  let afterMs = at(from);
  while (times.length < count) {
    afterMs = nextRun({ cron }, { afterMs, timezone });
    times.push(new Date(afterMs).toISOString().replace('.000', ''));
  }
  return times;
}

describe('nextRun', () => {
  it('keeps a distance to fixed times, whatever moment it is asked at', () => {
    const next = (text: string) => nextRun({ everyMs: 300_000 }, { afterMs: at(text), timezone: 'UTC' });
    expect(next('2024-05-01T10:00:00Z')).toBe(at('2024-05-01T10:05:00Z'));
    expect(next('2024-05-01T10:04:59.999Z')).toBe(at('2024-05-01T10:05:00Z'));
  });

  it('runs once in the night when the clock skips the hour', () => {
    expect(fires('30 2 * * *', 'Europe/Berlin', '2024-03-30T12:00:00Z', 2)).toEqual([
      '2024-03-31T01:30:00Z',
      '2024-04-01T00:30:00Z',
    ]);
  });

  it('runs once in the night when the clock repeats the hour', () => {
    expect(fires('30 1 * * *', 'America/New_York', '2024-11-02T12:00:00Z', 2)).toEqual([
      '2024-11-03T05:30:00Z',
      '2024-11-04T06:30:00Z',
    ]);
  });

  it.each([
    ['30 2 * * *', '2026-03-29T01:10:00Z', '2026-03-29T01:30:00Z'],
    ['30 2 * * *', '2026-03-29T01:30:00Z', '2026-03-30T00:30:00Z'],
    ['30 2 * * *', '2026-10-25T01:10:00Z', '2026-10-26T01:30:00Z'],
    ['0 */2 * * *', '2026-10-25T01:10:00Z', '2026-10-25T03:00:00Z'],
  ])('finds the same times from within an hour after a clock change (%s, %s)', (cron, from, next) => {
    expect(fires(cron, 'Europe/Berlin', from, 1)).toEqual([next]);
  });

  it('keeps several times of a skipped hour apart, and in their order', () => {
    expect(fires('0,30 2,3 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 3)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-29T01:30:00Z',
      '2026-03-30T00:00:00Z',
    ]);
    expect(fires('25,40 2 * * *', 'Australia/Lord_Howe', '2026-10-03T15:00:00Z', 2)).toEqual([
      '2026-10-03T15:40:00Z',
      '2026-10-03T15:55:00Z',
    ]);
  });

  it('runs at the first of two midnights', () => {
    expect(fires('0 0 * * *', 'America/Havana', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T04:00:00Z',
      '2026-11-02T05:00:00Z',
    ]);
  });

  it('keeps the distance of an expression with steps through a clock change', () => {
    expect(fires('*/30 * * * *', 'Europe/Berlin', '2024-10-27T00:00:00Z', 4)).toEqual([
      '2024-10-27T00:30:00Z',
      '2024-10-27T01:00:00Z',
      '2024-10-27T01:30:00Z',
      '2024-10-27T02:00:00Z',
    ]);
  });
});

describe('firstRun', () => {
  const nowMs = at('2024-05-01T10:02:00Z');
  const daily = { cron: '0 3 * * *' };

  it('begins at once with what has a distance and never ran', () => {
    expect(firstRun({ everyMs: 300_000 }, { nowMs, timezone: 'UTC', lastMs: undefined })).toBe(nowMs);
  });

  it('waits for its time with what has a cron expression and never ran', () => {
    expect(firstRun(daily, { nowMs, timezone: 'UTC', lastMs: undefined })).toBe(at('2024-05-02T03:00:00Z'));
  });

  it('does at once what was missed while nothing ran', () => {
    expect(firstRun(daily, { nowMs, timezone: 'UTC', lastMs: at('2024-04-28T03:00:00Z') })).toBe(nowMs);
  });

  it('goes on in step after a short stop', () => {
    const lastMs = at('2024-05-01T10:01:00Z');
    expect(firstRun({ everyMs: 300_000 }, { nowMs, timezone: 'UTC', lastMs })).toBe(
      at('2024-05-01T10:05:00Z'),
    );
  });

  it('takes no notice of a last run in the future', () => {
    const lastMs = at('2030-01-01T00:00:00Z');
    expect(firstRun({ everyMs: 300_000 }, { nowMs, timezone: 'UTC', lastMs })).toBe(nowMs);
  });
});

describe('countDue', () => {
  const zone = { timezone: 'America/New_York' };

  it('counts the times of a distance and of a cron expression after one instant and up to another', () => {
    const span = { afterMs: 1_000_000, untilMs: 1_035_000, ...zone };
    expect(countDue({ everyMs: 10_000 }, span)).toBe(3);
    expect(countDue({ cron: '*/10 * * * * *' }, span)).toBe(3);
    expect(countDue({ cron: '*/10 * * * * *' }, { ...span, untilMs: 1_009_999 })).toBe(0);
  });

  it('counts no time that a clock change skips, and a repeated one once', () => {
    const hourly = { cron: '30 1,2 * * *' };
    const day = (date: string) => ({
      afterMs: Date.parse(`${date}T05:00:00Z`),
      untilMs: Date.parse(`${date}T12:00:00Z`),
      ...zone,
    });
    expect(countDue(hourly, day('2024-11-03'))).toBe(2);
    expect(countDue(hourly, day('2024-03-10'))).toBe(2);
  });
});

import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/config/schedule.ts';
import { patternOf, repeatStrategy } from '../../../src/queue/bullmq/repeat-strategy.ts';

/** Lists the times of a scheduler as BullMQ makes them, each from the one before. */
function listTimes(
  schedule: Schedule,
  { from, count, tz }: { from: string; count: number; tz: string },
): string[] {
  const times: number[] = [];
  for (let ms = Date.parse(from); times.length < count; times.push(ms))
    ms = repeatStrategy(ms, { pattern: patternOf(schedule), tz });
  return times.map((ms) => new Date(ms).toISOString().slice(5, 16));
}

const tz = 'Europe/Berlin';

describe('repeatStrategy', () => {
  it('fires once where the clock is put forward over the time, as much later', () => {
    const at = { from: '2026-03-28T00:00:00Z', count: 3, tz };
    expect(listTimes({ cron: '30 2 * * *' }, at)).toEqual(['03-28T01:30', '03-29T01:30', '03-30T00:30']);
  });

  it('fires once where the clock is put back and shows the time twice', () => {
    const at = { from: '2026-10-24T00:00:00Z', count: 3, tz };
    expect(listTimes({ cron: '30 2 * * *' }, at)).toEqual(['10-24T00:30', '10-25T00:30', '10-26T01:30']);
  });

  it('keeps the distance over changes of the clock', () => {
    const at = { from: '2026-03-29T00:50:00Z', count: 3, tz };
    expect(listTimes({ everyMs: 1_800_000 }, at)).toEqual(['03-29T01:00', '03-29T01:30', '03-29T02:00']);
  });

  it('fires at once where that is asked for', () => {
    expect(repeatStrategy(17, { pattern: 'every 10 ms', immediately: true })).toBe(17);
  });
});

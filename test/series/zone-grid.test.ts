import { expect, test } from 'vitest';
import { createZoneGrid, hasWholeHours } from '../../src/series/zone-grid.ts';

const MINUTE = 60e6;
const HOUR = 60 * MINUTE;
const us = (text: string) => Date.parse(text) * 1000;

/** Lists the begins of the hours of a day, as the clock shows them, and the length of each in minutes. */
function hoursOf(zone: string, inside: string): string[] {
  const grid = createZoneGrid(zone);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  const day = grid.dayAt(us(inside));
  const hours: string[] = [];
  for (let at = day.from; at < day.to; at = grid.hourAt(at).to) {
    const { from, to } = grid.hourAt(at);
    expect(from).toBe(at);
    hours.push(`${clock.format(from / 1000)} ${(to - from) / MINUTE}`);
  }
  expect(grid.hourAt(day.to).from).toBe(day.to);
  return hours;
}

const wholeHours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00 60`);

test('a day has 24 hours that begin when the clock of the zone shows a full hour', () => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'])
    expect(hoursOf(zone, '2026-06-15T12:00Z'), zone).toEqual(wholeHours);
  expect(createZoneGrid('Asia/Kolkata').hourAt(us('2026-06-15T12:00Z')).from).toBe(us('2026-06-15T11:30Z'));
  expect(createZoneGrid('Asia/Kathmandu').hourAt(us('2026-06-15T12:00Z')).from).toBe(us('2026-06-15T11:15Z'));
  expect(createZoneGrid('Asia/Kathmandu').dayAt(us('2026-06-15T12:00Z'))).toEqual({
    ...{ date: '2026-06-15', from: us('2026-06-14T18:15Z'), to: us('2026-06-15T18:15Z') },
  });
});

test('a clock that jumps by an hour makes a day of 23 or of 25 hours', () => {
  const forward = hoursOf('Europe/Berlin', '2026-03-29T12:00Z');
  expect(forward).toEqual(wholeHours.filter((hour) => hour !== '02:00 60'));
  const back = hoursOf('Europe/Berlin', '2026-10-25T12:00Z');
  expect(back).toEqual([...wholeHours.slice(0, 3), '02:00 60', ...wholeHours.slice(3)]);
});

test('a clock that jumps by half an hour divides one hour', () => {
  const forward = hoursOf('Australia/Lord_Howe', '2026-10-04T02:00Z');
  expect(forward).toEqual(wholeHours.map((hour) => (hour === '02:00 60' ? '02:30 30' : hour)));
  const back = hoursOf('Australia/Lord_Howe', '2026-04-05T02:00Z');
  expect(back).toEqual([...wholeHours.slice(0, 2), '01:30 30', ...wholeHours.slice(2)]);
});

test('a clock that jumps at midnight leaves no instant without a day, and no hour in two days', () => {
  for (const [zone, inside] of [
    ['Africa/Cairo', '2026-04-24T12:00Z'],
    ['Africa/Cairo', '2026-10-29T12:00Z'],
    ['Asia/Beirut', '2026-03-29T12:00Z'],
    ['America/Havana', '2026-11-01T12:00Z'],
  ] as const) {
    const minutes = hoursOf(zone, inside).map((hour) => Number(hour.split(' ')[1]));
    const { from, to } = createZoneGrid(zone).dayAt(us(inside));
    expect(minutes.reduce((sum, length) => sum + length, 0) * MINUTE, zone).toBe(to - from);
    expect((to - from) / HOUR, zone).not.toBe(24);
  }
});

test('hours of two zones are the same if all offsets are whole hours', () => {
  expect(['UTC', 'Europe/Berlin', 'America/New_York'].map(hasWholeHours)).toEqual([true, true, true]);
  const others = ['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'];
  expect(others.map(hasWholeHours)).toEqual([false, false, false, false]);
});

import { expect, test } from 'vitest';
import { FIRST_DAY, LAST_DAY } from '../../dashboards/parts/fragments.ts';
import { ensureBi } from '../../src/bi/ensure-bi.ts';
import { type BiDatabase, openBi, openBiDatabase } from './open-bi.ts';

const us = (text: string) => Date.parse(text) * 1000;

async function openCalendar(): Promise<BiDatabase> {
  const bi = await openBi();
  await bi.db.query(`select plant.make_month('samples', '2025-03-15')`);
  return bi;
}

test('the calendar has days of the zone: 23 and 25 hours where the clock changes', async () => {
  const bi = await openCalendar();
  const day = (text: string) =>
    bi.rows(
      `select day::text, starts_at, ends_at, hours, weekday, weekday_name, iso_week, iso_year, month, quarter, year
       from bi.calendar where day = '${text}'`,
    );
  expect(await day('2025-03-30')).toEqual([
    ['2025-03-30', us('2025-03-29T23:00Z'), us('2025-03-30T22:00Z'), 23, 7, 'Sunday', 13, 2025, 3, 1, 2025],
  ]);
  expect(await day('2025-10-26')).toEqual([
    ['2025-10-26', us('2025-10-25T22:00Z'), us('2025-10-26T23:00Z'), 25, 7, 'Sunday', 43, 2025, 10, 4, 2025],
  ]);
  expect(await day('2025-12-29')).toEqual([
    ['2025-12-29', us('2025-12-28T23:00Z'), us('2025-12-29T23:00Z'), 24, 1, 'Monday', 1, 2026, 12, 4, 2025],
  ]);
});

test('dashboards take the days of a range from the calendar of the plant, whatever the zone of a session is', async () => {
  const bi = await openCalendar();
  const daysOf = async (from: string, to: string) => {
    const sql = `select ${FIRST_DAY}::text, ${LAST_DAY}::text`;
    const [days] = await bi.rows(sql.replace('$__timeFrom()', `'${from}'`).replace('$__timeTo()', `'${to}'`));
    return days;
  };
  expect(await daysOf('2025-06-10T21:59Z', '2025-06-12T22:01Z')).toEqual(['2025-06-10', '2025-06-13']);
  expect(await daysOf('2025-06-10T22:00Z', '2025-06-12T22:00Z')).toEqual(['2025-06-11', '2025-06-12']);
});

test('the calendar reaches from the month of the first point or the first alarm to the end of next year', async () => {
  const bi = await openCalendar();
  const bounds = async () =>
    (
      await bi.rows(
        `select min(day)::text, max(day) = make_date(extract(year from now() at time zone 'Europe/Berlin')::int + 1, 12, 31) as reaches,
           count(*) = max(day) - min(day) + 1 from bi.calendar`,
      )
    )[0];
  expect(await bounds()).toEqual(['2025-03-01', true, true]);
  await bi.db.query(
    `insert into plant.alarms (object, property, show_name, alarm_type, started_at) values ('o', 'p', 'n', 't', '2024-12-24T23:30Z')`,
  );
  expect(await bounds()).toEqual(['2024-12-25', true, true]);
  await bi.db.query(`select plant.make_month('samples', '0100-01-01')`);
  const [first] = (await bounds()) ?? [];
  expect(Number(String(first).slice(0, 4))).toBeGreaterThan(1990);
});

test('without any point the calendar begins today', async () => {
  const bi = await openBi();
  expect(
    await bi.rows(`select min(day) = (now() at time zone 'Europe/Berlin')::date from bi.calendar`),
  ).toEqual([[true]]);
});

test('days begin at the first instant of the day where midnight is skipped', async () => {
  const bi = await openBiDatabase();
  await ensureBi(bi.db, { ...bi.options, zone: 'Africa/Cairo' });
  await bi.db.query(`select plant.make_month('samples', '2025-04-01')`);
  expect(
    await bi.rows(`select starts_at, hours from bi.calendar where day between '2025-04-24' and '2025-04-25'`),
  ).toEqual([
    [us('2025-04-23T22:00Z'), 24],
    [us('2025-04-24T22:00Z'), 23],
  ]);
});

test('shifts follow the clock of the plant, also over midnight and where it changes', async () => {
  const bi = await openCalendar();
  const shifts = (day: string) =>
    bi.rows(
      `select shift, starts_at, ends_at from bi.shift_calendar where day = '${day}' order by starts_at, shift`,
    );
  expect(await shifts('2025-03-30')).toEqual([['day', us('2025-03-29T23:00Z'), us('2025-03-30T22:00Z')]]);
  await bi.db.query(
    `insert into plant.shifts (name, begins, ends, weekdays) values
       ('early', '06:00', '14:00', '{1,2,3,4,5}'), ('night', '22:00', '06:00', default), ('whole', '06:00', '06:00', '{6}')`,
  );
  expect(await shifts('2025-03-28')).toEqual([
    ['early', us('2025-03-28T05:00Z'), us('2025-03-28T13:00Z')],
    ['night', us('2025-03-28T21:00Z'), us('2025-03-29T05:00Z')],
  ]);
  // The clock goes forward in this night, which has seven hours.
  expect(await shifts('2025-03-29')).toEqual([
    ['whole', us('2025-03-29T05:00Z'), us('2025-03-30T04:00Z')],
    ['night', us('2025-03-29T21:00Z'), us('2025-03-30T04:00Z')],
  ]);
});

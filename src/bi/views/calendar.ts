import type { BiNames, BiView } from '../bi-view.ts';

/** The most years back that the calendar begins, whatever times a platform states. */
const MOST_YEARS = 30;

/**
 * Returns the query for the first day of the calendar. Partitions of points exist only where there are
 * points, so their bounds tell the first month without a look at any point.
 */
function firstDay({ data, zone }: BiNames): string {
  return `
    select greatest(
      least(
        (select min((regexp_match(pg_get_expr(c.relpartbound, c.oid), $re$FROM \\('([^']+)'\\)$re$))[1]::timestamptz)
          from pg_inherits as i join pg_class as c on c.oid = i.inhrelid join pg_class as p on p.oid = i.inhparent
          where p.relnamespace = ${`'${data.replaceAll("'", "''")}'`}::regnamespace and p.relname ~ '^samples(_|$)'),
        (select min(started_at) from ${data}.alarms),
        now()) at time zone ${zone},
      now() at time zone ${zone} - interval '${MOST_YEARS} years')::date as first`;
}

const calendar: BiView = {
  name: 'calendar',
  about:
    "Days of the plant's time zone, one row each. They reach from the month of the first point, or from the first alarm, to the end of next year.",
  columns: [
    { name: 'day', type: 'date', about: "The day in the plant's time zone." },
    { name: 'starts_at', type: 'timestamptz', about: 'Instant at which the day begins.' },
    { name: 'ends_at', type: 'timestamptz', about: 'Instant at which the next day begins.' },
    {
      name: 'hours',
      type: 'double precision',
      about: 'Length of the day: 24, but 23 or 25 where the clock changes.',
    },
    { name: 'weekday', type: 'integer', about: 'Day of the week: 1 is Monday, 7 is Sunday.' },
    { name: 'weekday_name', type: 'text', about: 'English name of the day of the week.' },
    { name: 'iso_week', type: 'integer', about: 'Week of the year by ISO 8601.' },
    { name: 'iso_year', type: 'integer', about: 'Year to which that week belongs.' },
    { name: 'month', type: 'integer', about: 'Month, 1 to 12.' },
    { name: 'quarter', type: 'integer', about: 'Quarter, 1 to 4.' },
    { name: 'year', type: 'integer', about: 'Year.' },
  ],
  sql: (names) => `
    select d.day, d.starts_at, d.ends_at,
      (extract(epoch from d.ends_at - d.starts_at) / 3600)::double precision as hours,
      extract(isodow from d.day)::integer as weekday, to_char(d.day, 'FMDay') as weekday_name,
      extract(week from d.day)::integer as iso_week, extract(isoyear from d.day)::integer as iso_year,
      extract(month from d.day)::integer as month, extract(quarter from d.day)::integer as quarter,
      extract(year from d.day)::integer as year
    from (${firstDay(names)}) as begin
    cross join lateral generate_series(begin.first::timestamp,
      date_trunc('year', now() at time zone ${names.zone}) + interval '2 years - 1 day', interval '1 day') as local
    cross join lateral (
      select local::date as day, local at time zone ${names.zone} as starts_at,
        (local + interval '1 day') at time zone ${names.zone} as ends_at) as d`,
};

const shiftCalendar: BiView = {
  name: 'shift_calendar',
  about:
    'Shifts of plant.shifts on the days of the calendar, one row each. While that table is empty, each day is one shift.',
  columns: [
    { name: 'shift', type: 'text', about: 'Name of the shift; day if there are no shifts.' },
    { name: 'day', type: 'date', about: 'Day on which the shift begins.' },
    { name: 'starts_at', type: 'timestamptz', about: 'Instant at which the shift begins.' },
    { name: 'ends_at', type: 'timestamptz', about: 'Instant at which it ends, perhaps on the next day.' },
  ],
  sql: ({ bi, data, zone }) => `
    select s.name as shift, c.day, (c.day + s.begins) at time zone ${zone} as starts_at,
      (c.day + case when s.ends > s.begins then 0 else 1 end + s.ends) at time zone ${zone} as ends_at
    from ${bi}.calendar as c join ${data}.shifts as s on c.weekday = any(s.weekdays)
    union all
    select 'day', c.day, c.starts_at, c.ends_at from ${bi}.calendar as c
    where not exists (select from ${data}.shifts)`,
};

export const calendarViews: readonly BiView[] = [calendar, shiftCalendar];

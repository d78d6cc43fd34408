import type { Migration } from './migration.ts';

/** Adds hourly and daily rollups of history, and marks of what has changed since they were made. */
export const rollups: Migration = {
  number: 15,
  name: 'rollups',
  sql: ({ ledger, data }) => `
create table ${ledger}.rollup_state (
  one boolean primary key default true check (one),
  kept boolean not null,
  begun boolean not null,
  zone text,
  backlog_hours double precision not null default 0
);
-- A ledger without series has no points, so nothing is left to compute.
insert into ${ledger}.rollup_state (kept, begun)
select empty, empty from (select not exists (select from ${data}.series) as empty) as found;
comment on table ${ledger}.rollup_state is 'Whether changes are marked for the rollups. One row.';
comment on column ${ledger}.rollup_state.kept is 'Whether each change is marked; false while rollups are switched off.';
comment on column ${ledger}.rollup_state.begun is 'Whether the backlog got all points that were stored before changes were marked.';
comment on column ${ledger}.rollup_state.zone is 'Time zone of the hours and days of the rollups.';
comment on column ${ledger}.rollup_state.backlog_hours is 'Hours of the backlog when it was largest, added up over its series.';

create table ${ledger}.rollup_marks (
  id bigint generated always as identity primary key,
  series_ids bigint[] not null,
  first_id bigint not null,
  last_id bigint not null,
  begins timestamptz not null,
  ends timestamptz not null,
  reread boolean not null,
  pieces bytea
);
alter table ${ledger}.rollup_marks alter column pieces set storage external;
comment on table ${ledger}.rollup_marks is 'Changes of points or coverage that the rollups do not show yet. Written with the change, deleted with the new rollups.';
comment on column ${ledger}.rollup_marks.series_ids is 'Series that changed.';
comment on column ${ledger}.rollup_marks.first_id is 'Lowest number of the series.';
comment on column ${ledger}.rollup_marks.last_id is 'Highest number of the series.';
comment on column ${ledger}.rollup_marks.begins is 'Begin of the changed range.';
comment on column ${ledger}.rollup_marks.ends is 'End of the changed range, exclusive.';
comment on column ${ledger}.rollup_marks.reread is 'Whether the points of the range have to be read, in any case.';
comment on column ${ledger}.rollup_marks.pieces is 'Sums of appended points, for hours of which nothing else is known.';

create table ${ledger}.rollup_backlog (
  id bigint generated always as identity primary key,
  series_ids bigint[] not null,
  first_id bigint not null,
  last_id bigint not null,
  begins timestamptz not null,
  ends timestamptz not null,
  only_days boolean not null default false
);
comment on table ${ledger}.rollup_backlog is 'Long ranges whose rollups are still to be made from the stored points, newest first.';
comment on column ${ledger}.rollup_backlog.series_ids is 'Up to 100 series.';
comment on column ${ledger}.rollup_backlog.first_id is 'Lowest number of the series.';
comment on column ${ledger}.rollup_backlog.last_id is 'Highest number of the series.';
comment on column ${ledger}.rollup_backlog.begins is 'Begin of the range.';
comment on column ${ledger}.rollup_backlog.ends is 'End of what is left of the range, exclusive.';
comment on column ${ledger}.rollup_backlog.only_days is 'Whether the hours are right, and only days have to be made from them.';

create table ${ledger}.late_points (
  series_id bigint not null,
  hour timestamptz not null,
  found_at timestamptz not null,
  points bigint not null,
  lag_sec double precision not null,
  primary key (series_id, hour)
);
create index on ${ledger}.late_points (found_at);
comment on table ${ledger}.late_points is 'Points that the platform did not have yet when their range was first read. One row for each series and hour.';
comment on column ${ledger}.late_points.series_id is 'Number of the series.';
comment on column ${ledger}.late_points.hour is 'Begin of the hour in the time zone of the plant.';
comment on column ${ledger}.late_points.found_at is 'When late points of the hour were last found.';
comment on column ${ledger}.late_points.points is 'Number of late points of the hour, all findings together.';
comment on column ${ledger}.late_points.lag_sec is 'Seconds between the oldest point of the last finding and the finding.';
${['hourly', 'daily'].map((step) => tableOf(`${data}.rollup_${step}`, step)).join('')}`,
};

function tableOf(table: string, step: string): string {
  const bucket = step === 'hourly' ? 'hour' : 'day';
  return `
create table ${table} (
  series_id bigint not null,
  bucket timestamptz not null,
  ends_at timestamptz not null,
  count integer not null,
  valued integer not null,
  min double precision,
  max double precision,
  sum double precision not null,
  first_at timestamptz not null,
  first double precision,
  last_at timestamptz not null,
  last double precision,
  integral double precision not null,
  known_sec double precision not null,
  covered_sec double precision not null,
  primary key (series_id, bucket)
);
comment on table ${table} is 'Rollup of table samples: one row for each series and ${bucket} with a point.';
comment on column ${table}.series_id is 'Number of the series, see table series.';
comment on column ${table}.bucket is 'Begin of the ${bucket} in the time zone of the plant.';
comment on column ${table}.ends_at is 'End of the ${bucket}, exclusive.';
comment on column ${table}.count is 'Number of points.';
comment on column ${table}.valued is 'Number of points that have a number.';
comment on column ${table}.min is 'Lowest number; null if no point has one.';
comment on column ${table}.max is 'Highest number; null if no point has one.';
comment on column ${table}.sum is 'Sum of the numbers; divided by valued it is the plain mean.';
comment on column ${table}.first_at is 'Time of the first point.';
comment on column ${table}.first is 'Number of the first point; null if it has none.';
comment on column ${table}.last_at is 'Time of the last point.';
comment on column ${table}.last is 'Number of the last point; null if it has none.';
comment on column ${table}.integral is 'Sum of value times seconds over the time in which the value is known.';
comment on column ${table}.known_sec is 'Seconds in which the value is known; integral divided by them is the mean weighted by time.';
comment on column ${table}.covered_sec is 'Seconds of the ${bucket} that are proven to be complete.';
`;
}

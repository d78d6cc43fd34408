import { escapeLiteral } from 'pg';
import type { Migration } from './migration.ts';

/**
 * Counts how many series have equal coverage, in the transaction of each change of coverage. So a look at
 * all series reads a few rows. Triggers count, since a program of an older version may still be at work.
 * Also adds indexes for looks at runs by their time, and at changes by their object.
 */
export const coverageSums: Migration = {
  number: 20,
  name: 'sums of coverage',
  sql: ({ ledger, data }) => `
create index runs_by_begin on ${ledger}.runs (started_at);

-- By hash: the name of an object may be longer than an index entry can be.
create index changes_by_object on ${ledger}.changes using hash ((
  case when table_name = 'objects' then key ->> 'name'
    when table_name in ('network_nodes', 'network_node_properties') then replace(replace(substring(key ->> 'path' from '[^/]*$'), '~1', '/'), '~0', '~')
    else key ->> 'object' end));

create table ${ledger}.choice (
  one boolean primary key default true check (one),
  digest text not null,
  directory bigint not null,
  facts jsonb not null,
  took interval not null,
  made_at timestamptz not null default clock_timestamp()
);
comment on table ${ledger}.choice is 'Of what the series in chosen_series were chosen. One row.';
comment on column ${ledger}.choice.digest is 'Digest of the selections of the configuration.';
comment on column ${ledger}.choice.directory is 'What directory_version was before the properties were read.';
comment on column ${ledger}.choice.facts is 'Numbers of properties that no selection reads.';
comment on column ${ledger}.choice.took is 'How long it took to choose.';
comment on column ${ledger}.choice.made_at is 'When the series were chosen.';

create sequence ${ledger}.directory_version;
-- Its first number does not differ from that of a sequence which nobody has asked.
select nextval(${escapeLiteral(`${ledger}.directory_version`)});
comment on sequence ${ledger}.directory_version is 'Grows with each change of table object_properties, whose triggers come with the first choice.';

create table ${ledger}.chosen_series (
  series_id bigint primary key,
  part integer not null check (part > 0)
);
comment on table ${ledger}.chosen_series is 'Series that the selections of the configuration read.';
comment on column ${ledger}.chosen_series.series_id is 'Number of the series.';
comment on column ${ledger}.chosen_series.part is 'Twice the number of the selection, plus one if the series may hold numbers.';

create table ${ledger}.coverage_shapes (
  store text not null,
  stream text not null,
  part integer not null,
  digest uuid not null,
  covered tstzmultirange not null,
  ${MEASURES.map((name) => `${name} double precision`).join(',\n  ')},
  series bigint not null,
  primary key (store, stream, part, digest)
);
create index coverage_shapes_gone on ${ledger}.coverage_shapes (digest) where series = 0;
comment on table ${ledger}.coverage_shapes is 'How many series have equal coverage. Triggers of table coverage keep it; coverage_shape_changes belongs to it.';
comment on column ${ledger}.coverage_shapes.store is 'Identity of the store. Empty in the rows that count all chosen series of a part.';
comment on column ${ledger}.coverage_shapes.part is 'Part of the series as in chosen_series; 0 for series that no selection reads.';
comment on column ${ledger}.coverage_shapes.digest is 'Digest of the ranges.';
comment on column ${ledger}.coverage_shapes.covered is 'The ranges that the series have in common.';
comment on column ${ledger}.coverage_shapes.seconds is 'Width of all ranges.';
comment on column ${ledger}.coverage_shapes.begins is 'Begin of the first range, in epoch seconds.';
comment on column ${ledger}.coverage_shapes.first_ends is 'End of the first range.';
comment on column ${ledger}.coverage_shapes.gap_begins is 'Begin of the gap before the last range.';
comment on column ${ledger}.coverage_shapes.last_begins is 'Begin of the last range.';
comment on column ${ledger}.coverage_shapes.ends is 'End of the last range.';
comment on column ${ledger}.coverage_shapes.series is 'Number of the series.';

create table ${ledger}.coverage_shape_changes (
  id bigint generated always as identity primary key,
  store text not null,
  stream text not null,
  part integer not null,
  digest uuid not null,
  covered tstzmultirange not null,
  ${MEASURES.map((name) => `${name} double precision`).join(',\n  ')},
  series bigint not null
);
comment on table ${ledger}.coverage_shape_changes is 'What has to be added to coverage_shapes. Writers append here, so that none waits for another.';
comment on column ${ledger}.coverage_shape_changes.series is 'Series that got these ranges; negative if they had them before.';
${functionsSql(ledger)}
${directorySql(ledger, data)}
${triggersSql(ledger)}
select ${ledger}.count_coverage();
`,
};

/** What sums need of the ranges. Numbers are compared and added in a fraction of the time of ranges. */
const MEASURES = ['seconds', 'begins', 'first_ends', 'gap_begins', 'last_begins', 'ends'];
const SHAPE = `store, stream, part, digest, covered, ${MEASURES.join(', ')}, series`;

/** Returns the SQL of shapes for rows `store, stream, part, covered, n`. */
function shapesOf(rows: string): string {
  return `
    select store, stream, part, md5(multirange_send(covered))::uuid, covered, m.*, n from (${rows}) as g
    cross join lateral (
      select sum(upper - lower), min(lower), min(upper), max(upper) filter (where upper < g.last), max(lower), g.last
      from (select date_part('epoch', lower(r)) as lower, date_part('epoch', upper(r)) as upper from unnest(covered) as r) as r
    ) as m`;
}

/** A trigger function works with the rights of its owner, since an older role may not know the tables. */
const TRIGGER = 'language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$';

function functionsSql(ledger: string): string {
  const key = (what: string) => `hashtextextended(${escapeLiteral(`${ledger}.coverage ${what}`)}, 0)`;
  // A subquery for each series, since the plan of a change of millions of series must not be kept.
  const partOf = `coalesce((select k.part from ${ledger}.chosen_series as k where k.series_id = c.series_id), 0)`;
  return `
-- A change of coverage and one of the choice never meet: both count by what the other has committed.
create function ${ledger}.share_coverage() returns trigger ${TRIGGER}
begin
  perform pg_advisory_xact_lock_shared(${key('choice')});
  return null;
end
$body$;

create function ${ledger}.note_coverage() returns trigger ${TRIGGER}
begin
  -- An upsert calls this for its new rows and for its changed ones, and most have only one kind.
  if tg_op <> 'DELETE' then
    if not exists (select from added) then return null; end if;
  end if;
  if tg_op = 'INSERT' then
    insert into ${ledger}.coverage_shape_changes (${SHAPE}) ${shapesOf(
      `select c.store, c.stream, ${partOf} as part, c.covered, count(*) as n, date_part('epoch', upper(c.covered)) as last
       from added as c group by 1, 2, 3, 4`,
    )};
  elsif tg_op = 'DELETE' then
    insert into ${ledger}.coverage_shape_changes (${SHAPE}) ${shapesOf(
      `select c.store, c.stream, ${partOf} as part, c.covered, -count(*) as n, date_part('epoch', upper(c.covered)) as last
       from removed as c group by 1, 2, 3, 4`,
    )};
  else
    insert into ${ledger}.coverage_shape_changes (${SHAPE}) ${shapesOf(
      `select c.store, c.stream, ${partOf} as part, c.covered, sum(c.n) as n, date_part('epoch', upper(c.covered)) as last
       from (
         select store, stream, series_id, covered, 1 as n from added
         union all select store, stream, series_id, covered, -1 from removed) as c
       group by 1, 2, 3, 4 having sum(c.n) <> 0`,
    )};
  end if;
  -- Some writer in a hundred adds up what all of them have appended.
  if random() < 0.008 then perform ${ledger}.fold_coverage(); end if;
  return null;
end
$body$;

create function ${ledger}.note_choice() returns trigger ${TRIGGER}
begin
  -- Who changes the choice of very many series counts all of them afterwards.
  if current_setting('plantsync.counts_after', true) = 'on' then return null; end if;
  -- Most times nothing has changed, and then no writer of coverage need wait.
  if tg_op = 'INSERT' then
    if not exists (select from added) then return null; end if;
  elsif tg_op <> 'TRUNCATE' then
    if not exists (select from removed) then return null; end if;
  end if;
  perform pg_advisory_xact_lock(${key('choice')});
  if tg_op = 'INSERT' then
    perform ${ledger}.move_coverage(array_agg(series_id), array_agg(0), array_agg(part)) from added;
  elsif tg_op = 'DELETE' then
    perform ${ledger}.move_coverage(array_agg(series_id), array_agg(part), array_agg(0)) from removed;
  elsif tg_op = 'UPDATE' then
    perform ${ledger}.move_coverage(array_agg(a.series_id), array_agg(r.part), array_agg(a.part))
    from added as a join removed as r on r.series_id = a.series_id where a.part <> r.part;
  else
    perform ${ledger}.count_coverage();
  end if;
  return null;
end
$body$;

create function ${ledger}.note_directory() returns trigger ${TRIGGER}
begin
  if tg_op = 'INSERT' then
    if not exists (select from added) then return null; end if;
  elsif tg_op <> 'TRUNCATE' then
    if not exists (select from removed) then return null; end if;
  end if;
  perform nextval(${escapeLiteral(`${ledger}.directory_version`)});
  return null;
end
$body$;

create function ${ledger}.move_coverage(ids bigint[], before integer[], after integer[]) returns void ${TRIGGER}
begin
  insert into ${ledger}.coverage_shape_changes (${SHAPE})
  with recursive kept (store, stream) as (
    (select store, stream from ${ledger}.coverage order by store, stream limit 1)
    union all
    select n.store, n.stream from kept as k cross join lateral (
      select c.store, c.stream from ${ledger}.coverage as c
      where (c.store, c.stream) > (k.store, k.stream) order by c.store, c.stream limit 1) as n)
  ${shapesOf(`
    select k.store, k.stream, p.part, c.covered, sum(p.n) as n, date_part('epoch', upper(c.covered)) as last
    from unnest(ids, before, after) as m (id, old, new)
    cross join kept as k
    cross join lateral (select c.covered from ${ledger}.coverage as c
      where c.store = k.store and c.stream = k.stream and c.series_id = m.id limit 1) as c
    cross join lateral (values (m.old, -1), (m.new, 1)) as p (part, n)
    group by 1, 2, 3, 4 having sum(p.n) <> 0
    union all
    select '', '', p.part, '{}', sum(p.n), null
    from unnest(before, after) as m (old, new) cross join lateral (values (m.old, -1), (m.new, 1)) as p (part, n)
    where p.part > 0 group by 3 having sum(p.n) <> 0`)};
end
$body$;

create function ${ledger}.fold_coverage() returns void ${TRIGGER}
begin
  -- One adds up at a time. With another isolation it might not see what the one before has added up.
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(${key('fold')}) then return; end if;
  with gone as (delete from ${ledger}.coverage_shape_changes returning ${SHAPE})
  insert into ${ledger}.coverage_shapes as s (${SHAPE})
  select store, stream, part, digest, covered, ${MEASURES.map((name) => `min(${name})`).join(', ')}, sum(series) from gone
  group by store, stream, part, digest, covered having sum(series) <> 0
  on conflict (store, stream, part, digest) do update set series = s.series + excluded.series;
  delete from ${ledger}.coverage_shapes where series = 0;
end
$body$;
comment on function ${ledger}.fold_coverage is 'Adds coverage_shape_changes up to coverage_shapes, unless another session does.';

create function ${ledger}.count_coverage() returns void ${TRIGGER}
begin
  lock table ${ledger}.coverage in share row exclusive mode;
  perform pg_advisory_xact_lock(${key('fold')});
  delete from ${ledger}.coverage_shape_changes;
  delete from ${ledger}.coverage_shapes;
  insert into ${ledger}.coverage_shapes (${SHAPE}) ${shapesOf(`
    select c.store, c.stream, coalesce(k.part, 0) as part, c.covered, count(*) as n, date_part('epoch', upper(c.covered)) as last
    from ${ledger}.coverage as c left join ${ledger}.chosen_series as k on k.series_id = c.series_id
    group by 1, 2, 3, 4
    union all select '', '', k.part, '{}', count(*), null from ${ledger}.chosen_series as k group by 3`)};
end
$body$;
comment on function ${ledger}.count_coverage is 'Counts coverage_shapes once more from all of table coverage.';
`;
}

/**
 * A role that owns no table makes triggers by a function of the owner, and asks one for the number of a
 * sequence. Table `object_properties` is there with the first scan, so its triggers come later.
 */
function directorySql(ledger: string, data: string): string {
  const table = escapeLiteral(`${data}.object_properties`);
  const trigger = (event: string, tables: string) => `
  create or replace trigger plantsync_${event} after ${event} on ${data}.object_properties ${tables}
    for each statement execute function ${ledger}.note_directory();`;
  return `
create function ${ledger}.directory_state() returns bigint ${TRIGGER}
begin
  if (select count(*) from pg_trigger
    where tgrelid = to_regclass(${table}) and tgname like 'plantsync\\_%' and tgenabled <> 'D') < 4 then return null; end if;
  return (select last_value from ${ledger}.directory_version);
end
$body$;
comment on function ${ledger}.directory_state is 'Changes with each change of table object_properties. Null while nobody notes them.';

create function ${ledger}.begin_choice() returns bigint ${TRIGGER}
begin
  if ${ledger}.directory_state() is null then${trigger('insert', 'referencing new table as added')}${trigger('update', 'referencing old table as removed new table as added')}${trigger('delete', 'referencing old table as removed')}${trigger('truncate', '')}
  end if;
  -- Changes under way end first, so that their rows are seen when the properties are read.
  lock table ${data}.object_properties in share mode;
  return ${ledger}.directory_state();
end
$body$;
comment on function ${ledger}.begin_choice is 'Returns the state of the directory before its properties are read.';
`;
}

function triggersSql(ledger: string): string {
  const after = (table: string, call: string) => `
create trigger inserted after insert on ${ledger}.${table} referencing new table as added
  for each statement execute function ${ledger}.${call}();
create trigger updated after update on ${ledger}.${table} referencing old table as removed new table as added
  for each statement execute function ${ledger}.${call}();
create trigger deleted after delete on ${ledger}.${table} referencing old table as removed
  for each statement execute function ${ledger}.${call}();
create trigger truncated after truncate on ${ledger}.${table}
  for each statement execute function ${ledger}.${table === 'coverage' ? 'recount_coverage' : call}();`;
  return `
create function ${ledger}.recount_coverage() returns trigger ${TRIGGER}
begin
  perform ${ledger}.count_coverage();
  return null;
end
$body$;
create trigger shared before insert or update or delete on ${ledger}.coverage
  for each statement execute function ${ledger}.share_coverage();
${after('coverage', 'note_coverage')}
${after('chosen_series', 'note_choice')}`;
}

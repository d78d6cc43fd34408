import { escapeLiteral } from 'pg';
import type { Migration } from './migration.ts';

/**
 * Prepares databases that are replicated, or in which the writer owns no tables. Tables whose rows are
 * updated or deleted get the key by which logical replication finds rows. A role that owns no table may let a
 * function of the owner make the partition of a month.
 */
export const otherRoles: Migration = {
  number: 10,
  name: 'primary keys and other roles',
  sql: ({ ledger, data }) => `
alter table ${ledger}.changes add primary key (id);
-- It has no columns that could be a key: its names are too long for one.
alter table ${ledger}.drift replica identity full;

create function ${data}.make_month(table_name text, month timestamptz) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $body$
declare
  parent regclass;
  first timestamptz := date_trunc('month', month);
  partition text := format('%s_y%s%sm%s', table_name, lpad(abs(extract(year from first))::text, 4, '0'),
    case when extract(year from first) < 0 then 'bc' else '' end, to_char(first, 'MM'));
begin
  select c.oid into parent from pg_class as c
    where c.relnamespace = ${escapeLiteral(data)}::regnamespace and c.relname = table_name
      and c.relkind = 'p' and c.relname ~ '^samples(_|$)';
  if parent is null then
    raise exception 'there is no table of points %', quote_ident(table_name) using errcode = 'undefined_table';
  end if;
  if exists (select from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
             where i.inhparent = parent and c.relname = partition) then
    return;
  end if;
  execute format('create table %s.%I (like %s including all)', ${escapeLiteral(data)}::regnamespace, partition, parent);
  execute format('alter table %s attach partition %s.%I for values from (%L) to (%L)',
    parent, ${escapeLiteral(data)}::regnamespace, partition, first, first + interval '1 month');
end
$body$;
comment on function ${data}.make_month is
  'Makes the partition of a month of a table of points, for a role that may execute it and does not own the table.';
revoke all on function ${data}.make_month from public;
`,
};

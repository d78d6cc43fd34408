-- The roles of plantsync and of Grafana, made by the image of PostgreSQL when its volume is new. It may run again, to change
-- passwords. Tables and views are made by plantsync; `plantsync grants` lets Grafana read them.
\getenv plantsync_password PLANTSYNC_PASSWORD
\getenv reader_password READER_PASSWORD

do $$
begin
  if not exists (select from pg_roles where rolname = 'plantsync') then
    create role plantsync;
  end if;
  if not exists (select from pg_roles where rolname = 'grafana') then
    create role grafana;
  end if;
  -- The owner of the database makes schemas in it. It is no superuser.
  execute format('alter database %I owner to plantsync', current_database());
end
$$;

alter role plantsync login password :'plantsync_password';
alter role grafana login password :'reader_password' connection limit 20;

-- A question that takes too long, or too much of the disk, ends. plantsync itself goes on.
alter role grafana set statement_timeout = '60s';
alter role grafana set temp_file_limit = '2GB';
-- To compile a question takes longer than to answer it.
alter role grafana set jit = off;

import type { Migration } from './migration.ts';

/** Makes the first tables of the ledger, and the registry of series in the data schema. */
export const ledgerTables: Migration = {
  number: 1,
  name: 'ledger tables',
  sql: ({ ledger, data }) => `
comment on table ${ledger}.migrations is 'Steps by which the tables of the ledger were made.';

create table if not exists ${data}.series (
  series_id bigint generated always as identity primary key,
  object text not null,
  property text not null,
  primitive_type text,
  first_seen_at timestamptz not null default now(),
  vanished_at timestamptz,
  unique (object, property)
);
comment on table ${data}.series is 'Every series that was ever read: one property of one object.';
comment on column ${data}.series.series_id is 'Number of the series, in all tables of points.';
comment on column ${data}.series.object is 'Alias of the object, exactly as the platform spells it.';
comment on column ${data}.series.property is 'Alias of the property, exactly as the platform spells it.';
comment on column ${data}.series.primitive_type is 'Declared type of the property, or null while it is in no list.';
comment on column ${data}.series.first_seen_at is 'When the series was first registered here.';
comment on column ${data}.series.vanished_at is 'When the platform was found to know the series no more; null while it does.';

-- Half of every page stays free for the next version of its rows: an update then need not touch the index.
create table ${ledger}.coverage (
  store text not null,
  stream text not null,
  series_id bigint not null,
  covered tstzmultirange not null,
  primary key (store, stream, series_id)
) with (fillfactor = 45);
comment on table ${ledger}.coverage is 'Which time ranges of which series are proven to be stored where. What is not here is read again.';
comment on column ${ledger}.coverage.store is 'Identity of the store: kind, host, database or bucket, schema or measurement.';
comment on column ${ledger}.coverage.stream is 'Stream, with its aggregate if it has one: history, history/300s/mean.';
comment on column ${ledger}.coverage.series_id is 'Number of the series.';
comment on column ${ledger}.coverage.covered is 'Half-open ranges that are complete in the store, also where they hold no point.';

create table ${ledger}.runs (
  id bigint generated always as identity primary key,
  stream text not null,
  kind text not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  finished_at timestamptz,
  status text not null default 'running' check (status in ('running', 'done', 'partial', 'failed', 'interrupted')),
  host text not null,
  pid integer not null,
  summary jsonb,
  error text
);
create index on ${ledger}.runs (stream, kind, id);
comment on table ${ledger}.runs is 'One row per execution of a stream.';
comment on column ${ledger}.runs.kind is 'What was done: scan, fill, poll, backfill, verify.';
comment on column ${ledger}.runs.beat_at is 'Last sign of life. A run that says running with an old beat belongs to a process that died.';
comment on column ${ledger}.runs.status is 'running, done, partial (something is missing, see summary), failed or interrupted.';
comment on column ${ledger}.runs.host is 'Host of the process.';
comment on column ${ledger}.runs.pid is 'Number of the process on its host.';
comment on column ${ledger}.runs.summary is 'Counts of the run and one sentence for each problem.';
comment on column ${ledger}.runs.error is 'Message of the error that ended the run.';

create table ${ledger}.rejects (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  stream text not null,
  kind text not null,
  key text not null,
  reason text not null,
  count bigint not null,
  sample jsonb,
  resolved_at timestamptz
);
-- By digest: a key or a reason may be longer than an index entry can be.
create unique index rejects_unresolved on ${ledger}.rejects (stream, kind, md5(key), md5(reason)) where resolved_at is null;
comment on table ${ledger}.rejects is 'What the platform sent and could not be used, one row per distinct case.';
comment on column ${ledger}.rejects.at is 'When the case was first met.';
comment on column ${ledger}.rejects.last_at is 'When it was last met.';
comment on column ${ledger}.rejects.kind is 'record, point, or the kind of trouble.';
comment on column ${ledger}.rejects.key is 'Key of the record, or name of the series; * stands for all beyond the bound.';
comment on column ${ledger}.rejects.reason is 'Why it could not be used.';
comment on column ${ledger}.rejects.count is 'How often the case was met.';
comment on column ${ledger}.rejects.sample is 'The last one that was met, as received.';
comment on column ${ledger}.rejects.resolved_at is 'When it was settled; null while it is open.';

create table ${ledger}.knowledge (
  platform text not null,
  key text not null,
  value jsonb not null,
  changed_at timestamptz not null default now(),
  primary key (platform, key)
);
comment on table ${ledger}.knowledge is 'What was proven about a platform, such as the sizes of replies that it surely does not cut.';
comment on column ${ledger}.knowledge.platform is 'Identity of the platform, without any secret.';

create table ${ledger}.scans (
  id bigint generated always as identity primary key,
  stream text not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  complete boolean not null default false,
  stable boolean not null default false,
  pages integer not null default 0,
  records bigint not null default 0
);
create index on ${ledger}.scans (stream, id);
comment on table ${ledger}.scans is 'One row per paging through a list.';
comment on column ${ledger}.scans.finished_at is 'When it ended; null while it is under way or if its process died.';
comment on column ${ledger}.scans.complete is 'The end of the list was proven.';
comment on column ${ledger}.scans.stable is 'The list did not change while it was read.';

create table ${ledger}.tokens (
  platform text primary key,
  sealed bytea,
  changed_at timestamptz not null default now()
);
comment on table ${ledger}.tokens is 'The access token that all processes share, encrypted with a key made from the platform secret.';

create table ${ledger}.outbox (
  id bigint generated always as identity primary key,
  store text not null,
  payload jsonb not null,
  created_at timestamptz not null default now()
);
create index on ${ledger}.outbox (store, id);
comment on table ${ledger}.outbox is 'Polled values that a store has not acknowledged yet, oldest first.';
comment on column ${ledger}.outbox.store is 'Identity of the store that shall get them.';
`,
};

import type { Migration } from './migration.ts';

/**
 * Adds what the scans of the directory remember: changes of rows, what an unfinished scan has read, and
 * drift.
 */
export const snapshotTables: Migration = {
  number: 2,
  name: 'snapshot tables',
  sql: ({ ledger }) => `
create table ${ledger}.changes (
  id bigint generated always as identity,
  table_name text not null,
  key jsonb not null,
  kind text not null check (kind in ('updated', 'deleted', 'restored')),
  before jsonb not null,
  at timestamptz not null default now()
);
create index on ${ledger}.changes (table_name, at);
create index on ${ledger}.changes (at);
comment on table ${ledger}.changes is 'One row per update, delete and restore of a row of the directory: what was true before.';
comment on column ${ledger}.changes.id is 'Order of the changes, also of those made at one instant.';
comment on column ${ledger}.changes.table_name is 'Table of the data schema.';
comment on column ${ledger}.changes.key is 'Key columns of the row and their values.';
comment on column ${ledger}.changes.kind is 'updated, deleted or restored.';
comment on column ${ledger}.changes.before is 'The row as it was until then, without its bookkeeping of scans and its raw record.';
comment on column ${ledger}.changes.at is 'When the row was changed here.';

-- Unlogged: after a crash of the server it is empty, and everything is read once more than needed.
create unlogged table ${ledger}.reads (
  stream text not null,
  parent text not null,
  read_at timestamptz not null
);
-- By digest: a key may be longer than an index entry can be.
create unique index reads_once on ${ledger}.reads (stream, md5(parent));
comment on table ${ledger}.reads is 'When the list or the details of a row were last read, so that a scan that was cut goes on.';
comment on column ${ledger}.reads.stream is 'Stream that reads once per row of its parent.';
comment on column ${ledger}.reads.parent is 'Key of the parent row.';
comment on column ${ledger}.reads.read_at is 'When it was last read to its end and loaded.';

create table ${ledger}.drift (
  stream text not null,
  table_name text not null,
  member text not null,
  kind text not null check (kind in ('new', 'missing', 'retyped')),
  since timestamptz not null default now(),
  last_at timestamptz not null default now(),
  count bigint not null,
  sample jsonb
);
-- By digest: a name may be longer than an index entry can be.
create unique index drift_once on ${ledger}.drift (stream, table_name, md5(member), kind);
comment on table ${ledger}.drift is 'Where the records of the platform differ from what is declared, as the last scan of each stream saw it.';
comment on column ${ledger}.drift.table_name is 'Table whose records differ: that of the stream, or one of its parts.';
comment on column ${ledger}.drift.member is 'Member of the record.';
comment on column ${ledger}.drift.kind is 'new (not declared), missing (declared, in no record) or retyped (of another type than declared).';
comment on column ${ledger}.drift.since is 'When it was first seen without a break since.';
comment on column ${ledger}.drift.last_at is 'When it was last seen.';
comment on column ${ledger}.drift.count is 'Records of the last scan that show it.';
comment on column ${ledger}.drift.sample is 'A value as received; null for a member that is missing.';

alter table ${ledger}.rejects add column ranges tstzmultirange;
comment on column ${ledger}.rejects.ranges is 'Where in time refused points lie, at least; null for records, and where it is not known.';
`,
};

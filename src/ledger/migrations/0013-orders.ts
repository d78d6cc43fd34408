import type { Migration } from './migration.ts';

/**
 * Adds what people ask of the service besides runs of its jobs, with what became of each order. Runs tell
 * what they were asked for and how far they are. Rejects may be dismissed with a note.
 */
export const orders: Migration = {
  number: 13,
  name: 'orders and dismissed rejects',
  sql: ({ ledger }) => `
create table ${ledger}.orders (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('backfill', 'replay')),
  body jsonb not null,
  status text not null default 'waiting'
    check (status in ('waiting', 'running', 'done', 'partial', 'failed', 'cancelled')),
  asked_at timestamptz not null default now(),
  taken_at timestamptz,
  finished_at timestamptz,
  cancel_asked_at timestamptz,
  lease bigint,
  result jsonb,
  error text
);
comment on table ${ledger}.orders is 'Backfills and replays of rejects that people asked of the service.';
comment on column ${ledger}.orders.body is 'What is asked for: the range and the series of a backfill, or the rejects of a replay.';
comment on column ${ledger}.orders.status is 'waiting, running, done, partial (something is missing, see result), failed or cancelled.';
comment on column ${ledger}.orders.taken_at is 'When a process last began the work.';
comment on column ${ledger}.orders.cancel_asked_at is 'When somebody asked that the work end.';
comment on column ${ledger}.orders.lease is 'Lease of the process that does the work; when it ends, another process begins.';
comment on column ${ledger}.orders.result is 'What came of the work: summaries of its runs, outcomes of the rejects.';
comment on column ${ledger}.orders.error is 'Message of the error that ended the work.';

alter table ${ledger}.runs add column asked jsonb, add column progress jsonb;
comment on column ${ledger}.runs.asked is 'What a run was asked for: range, series, and the number of the order; null for runs of a schedule.';
comment on column ${ledger}.runs.progress is 'How far a backfill is, noted every few seconds.';

-- By digest: a key may be longer than an index entry can be.
create index changes_by_key on ${ledger}.changes (table_name, md5(key::text), id);

alter table ${ledger}.rejects add column dismissed boolean not null default false, add column note text;
create index rejects_by_last on ${ledger}.rejects (last_at, id);
comment on column ${ledger}.rejects.dismissed is 'Whether a person has settled the case, although nothing proves that it is over.';
comment on column ${ledger}.rejects.note is 'Who dismissed the case, and why.';
`,
};

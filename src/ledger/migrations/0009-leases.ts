import type { Migration } from './migration.ts';

/**
 * Adds leases. All that a process holds ends with its lease: locks of jobs, claimed windows, and runs under
 * way.
 */
export const leases: Migration = {
  number: 9,
  name: 'leases',
  sql: ({ ledger }) => `
create table ${ledger}.leases (
  id bigint generated always as identity primary key,
  holder text not null,
  session integer not null,
  begun_at timestamptz not null default clock_timestamp(),
  until timestamptz not null
);
comment on table ${ledger}.leases is 'Processes that work just now. Each renews its lease; one that does not loses all it holds, and writes nothing more.';
comment on column ${ledger}.leases.holder is 'Name of the process, which its sessions have as application_name.';
comment on column ${ledger}.leases.session is 'Number of the server process by which the lease is renewed: the lease ends with it.';
comment on column ${ledger}.leases.until is 'When the lease ends by itself, by the clock of the server.';

create table ${ledger}.locks (
  name text primary key,
  lease bigint not null,
  taken_at timestamptz not null default clock_timestamp()
);
comment on table ${ledger}.locks is 'Who does what just now: a job, or keeping the schedules.';
comment on column ${ledger}.locks.lease is 'Lease of the holder: the lock ends with it.';

drop table ${ledger}.claims;
create unlogged table ${ledger}.claims (
  id bigint generated always as identity primary key,
  lease bigint not null,
  claimant integer not null,
  stream text not null,
  series_ids bigint[] not null,
  range tstzrange not null
);
comment on table ${ledger}.claims is 'Windows of history that are being read just now, so that no two fillings read the same ones.';
comment on column ${ledger}.claims.lease is 'Lease of the process that reads the window: the claim ends with it.';
comment on column ${ledger}.claims.claimant is 'Number of the filling that reads the window, chosen at random.';

alter table ${ledger}.runs add column lease bigint, drop constraint runs_status_check,
  add constraint runs_status_check check (status in ('running', 'done', 'partial', 'failed', 'interrupted', 'lost'));
create index runs_under_way on ${ledger}.runs (lease) where status = 'running';
comment on column ${ledger}.runs.lease is 'Lease of the process; a run that is under way when it ends is lost.';
comment on column ${ledger}.runs.beat_at is 'When the run began or ended; the sign of life of a run under way is its lease.';
comment on column ${ledger}.runs.status is 'running, done, partial (something is missing, see summary), failed, interrupted or lost (its process died, or stood still for too long).';
`,
};
